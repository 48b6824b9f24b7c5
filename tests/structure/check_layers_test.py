#!/usr/bin/env python3
"""check_layers.py must find each kind of mistake; a check that cannot fail is none."""
import pathlib
import tempfile
import unittest

import check_layers

TABLE = "1 base :\n2 url : base\n4 parse : base url\n4 fetch : base\n5 engine : parse\n"


class CheckLayers(unittest.TestCase):
    def errors(self, files, table=TABLE):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            for module in ("base", "url", "parse", "fetch", "engine"):
                (root / "src" / module).mkdir(parents=True)
            (root / "src/LAYERS").write_text(table)
            for name, text in files.items():
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                (root / name).write_text(text)
            return check_layers.check(root)

    def test_allowed(self):
        self.assertEqual([], self.errors({
            "src/parse/a.cpp": '#include <vector>\n#include "parse/a.hpp"\n#include "url/u.hpp"\n',
            "src/engine/e.cpp": '#include "crawler/crawler.h"\n',
            "apps/crawler/main.cpp": "#include <crawler/crawler.hpp>\n"}))

    def test_upwards(self):
        self.assertIn("does not let url use parse",
                      self.errors({"src/url/a.hpp": '#include "parse/a.hpp"\n'})[0])

    def test_sideways(self):
        self.assertIn("does not let fetch use parse",
                      self.errors({"src/fetch/a.cpp": '#  include <parse/a.hpp>\n'})[0])

    def test_every_kind_of_source(self):
        for kind in ("cpp", "hpp", "c", "h", "inc"):
            self.assertEqual(1, len(self.errors({f"src/url/a.{kind}": '#include "parse/a.hpp"\n'})))
            self.assertEqual(1, len(self.errors({f"apps/x/a.{kind}": '#include "base/a.hpp"\n'})))

    def test_dots(self):
        self.assertIn("not by '..'", self.errors({"src/url/a.cpp": '#include "../parse/a.hpp"'})[0])

    def test_public_header_below_level_five(self):
        self.assertIn("visible from level 5",
                      self.errors({"src/parse/a.cpp": '#include "crawler/crawler.h"\n'})[0])

    def test_app_reaches_inside(self):
        self.assertIn("include/crawler only",
                      self.errors({"apps/x/main.cpp": '#include "base/status.hpp"\n'})[0])

    def test_folder_without_line(self):
        self.assertIn("no line in src/LAYERS", self.errors({"src/odd/a.cpp": ""})[0])

    def test_line_without_folder(self):
        self.assertIn("has no folder", self.errors({}, TABLE + "6 serve : engine\n")[0])

    def test_table_that_points_up(self):
        self.assertIn("only lower levels",
                      self.errors({}, TABLE.replace("2 url : base", "2 url : parse"))[0])


if __name__ == "__main__":
    unittest.main()
