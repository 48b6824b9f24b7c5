#!/usr/bin/env python3
"""Many languages, scripts and encodings, and all that a query may say, as a user asks for it.

Several languages and scripts are indexed and found, wrong encodings too; noindex pages are
not indexed; duplicates are folded; mistakes in a query give a clear message, never one of SQL. The
rules are those of docs/search.md.
"""
import html
import json
import sqlite3

import harness

# name: language, encoding of the bytes, the page's title, its text, questions that find it alone.
PAGES = {
    "german": ("de", "utf-8", "Die alte Stadt",
               "Die Häuser der alten Stadt stehen dicht an dicht. Der Bäcker verkauft am frühen "
               "Morgen frische Brötchen, und die Kinder gehen über die Brücke zur Schule. "
               "Straßenbahnen fahren bis spät in die Nacht.",
               ["Haus", "hauser bäcker", "Brotchen", "BRÖTCHEN", "kind brucken", "Strassenbahn",
                "\"frische Brötchen\"", "lang:de stadt"]),
    "french": ("fr", "iso-8859-1", "La bibliothèque",
               "Les élèves étudient à la bibliothèque pendant que l'homme range les livres anciens. "
               "Ils ont trouvé des histoires merveilleuses sur les châteaux de la Loire et sur la "
               "vie des rois.",
               ["eleve", "livre ancien", "bibliotheques", "homme", "chateau", "histoire merveilleux",
                "lang:fr"]),
    "russian": ("ru", "windows-1251", "Книги о языках",
                "Программисты пишут книги о языках программирования. Молодые учёные читают их в "
                "библиотеках больших городов и ещё долго спорят о прочитанном.",
                ["книга", "программист", "ученые", "УЧЁНЫЙ", "библиотека город", "lang:ru"]),
    "greek": ("el", "utf-8", "Η πόλη",
              "Οι βιβλιοθήκες της πόλης είναι ανοιχτές κάθε μέρα. Οι φοιτητές διαβάζουν βιβλία και "
              "γράφουν τις εργασίες τους μέχρι το βράδυ.",
              ["βιβλιοθηκες", "ΒΙΒΛΙΟΘΉΚΕΣ", "φοιτητες", "φοιτητής", "lang:el"]),
    "turkish": ("tr", "iso-8859-9", "Kütüphaneler",
                "İstanbul'da kitaplar kütüphanelerde okunur ve öğrenciler her gün yeni şeyler "
                "öğrenir. Işık çok güzel olduğu için pencerenin yanında oturmayı severler.",
                ["istanbul", "İSTANBUL", "kitap", "ogrenci", "ışık", "ISIK", "lang:tr"]),
    "arabic": ("ar", "windows-1256", "المكتبة",
               "يقرأ الطلاب الكتاب الجديد في المكتبة الكبيرة كل يوم، ثم يعودون إلى البيت في المساء "
               "مع أصدقائهم من المدينة القديمة.",
               ["كتاب", "كِتَاب", "مدينة", "lang:ar"]),
    "hindi": ("hi", "utf-8", "पुस्तकालय",
              "पुस्तकालय में बहुत सारी किताबें रखी हैं। विद्यार्थी हर दिन वहाँ जाकर पढ़ते हैं और नई बातें "
              "सीखते हैं।",
              ["किताब", "किताबें", "विद्यार्थी", "lang:hi"]),
    "thai": ("th", "tis-620", "ภาษาไทย",
             "ภาษาไทยเป็นภาษาที่ใช้ในประเทศไทย นักเรียนอ่านหนังสือในห้องสมุดทุกวัน",
             ["หนังสือ", "ห้องสมุด", "นักเรียน", "lang:th"]),
    "japanese": ("ja", "shift_jis", "東京の案内",
                 "東京タワーは日本の首都にある高い塔です。多くの人がコンピュータで写真を見てから、"
                 "電車に乗って観光に行きます。",
                 ["東京", "タワー", "ﾀﾜｰ", "コンピュータ", "ｺﾝﾋﾟｭｰﾀ", "観光 電車", "lang:ja"]),
    "chinese": ("zh", "gb18030", "北京的图书馆",
                "北京是中华人民共和国的首都。图书馆里有很多书，学生们每天都去那里学习中文和数学。",
                ["北京", "图书馆", "人民共和国", "学生 数学", "lang:zh"]),
    "korean": ("ko", "euc-kr", "도서관",
               "한국어는 한국에서 쓰는 언어입니다. 학생들이 도서관에서 책을 읽고 친구들과 이야기를 "
               "나눕니다.",
               ["한국어", "도서관", "언어입니다", "lang:ko"]),
    "wide": ("en", "utf-8", "Forms",
             "The words ｆｕｌｌｗｉｄｔｈ and Ｃｏｎｎｅｃｔｉｏｎｓ are written in other forms, and so is "
             "the ﬁshing boat that was in the harbour with us.",
             ["fullwidth", "ｃｏｎｎｅｃｔｉｏｎ", "connected", "fish harbours"]),
}
ENGLISH = ("This page has been written by somebody who does not know what the others are about. It "
           "is here for the words that it has and for nothing else. ")


def page(title, text, head="", body=""):
    return (f"<!DOCTYPE html><html><head>{head}<title>{html.escape(title)}</title></head><body>"
            f"<p>{html.escape(text)}</p>{body}</body></html>")


def reply(content, encoding="utf-8", **headers):
    """Headers without an encoding unless given; the page's own <meta> names it."""
    named = {"Content-Type": "text/html", **{k.replace("_", "-"): v for k, v in headers.items()}}
    return named, content if isinstance(content, bytes) else content.encode(encoding)


def site():
    pages = {}
    for name, (_, encoding, title, text, _) in PAGES.items():
        pages[f"/{name}.html"] = reply(page(title, text, f'<meta charset="{encoding}">'), encoding)
    utf8 = {"Content_Type": "text/html; charset=utf-8"}
    # The header wins over what the page says.
    pages["/header.html"] = reply(page("Überschrift", "Der Kopf der Antwort gewinnt: Drachenflügel "
                                       "sind nichts für die kleinen Kinder.",
                                       '<meta charset="windows-1251">'), **utf8)
    # No such encoding: as if nothing was said, windows-1252.
    pages["/nosuch.html"] = reply(page("No such encoding", ENGLISH + "A crème brûlée with label.",
                                       '<meta charset="utf-99">'), "windows-1252")
    # UTF-8 that says it is windows-1252: read so, as browsers do; its ASCII words are found.
    pages["/mislabelled.html"] = reply(page("Mislabelled", ENGLISH + "Zürich has an unmistakable "
                                            "xylophone.", '<meta charset="windows-1252">'))
    pages["/broken.html"] = reply(
        page("Broken", ENGLISH + "Zebra\ue000 crossing, quag\ue001ga, okapi.").encode()
        .replace("\ue000".encode(), b"\xff\xfe\xe4").replace("\ue001".encode(), b"\xc3"), **utf8)
    pages["/hidden.html"] = reply(page("Hidden", ENGLISH + "The wombat is a secret.",
                                       '<meta name="robots" content="noindex">'), **utf8)
    pages["/unnamed.html"] = reply(page("Unnamed", ENGLISH + "The platypus is a secret."),
                                   X_Robots_Tag="noindex", **utf8)
    long = " ".join(f"{word} of the albatross number {n}" for n, word in
                    enumerate("wing beak feather egg nest island wind wave storm ship".split() * 6))
    pages["/bird/one.html"] = reply(page("Albatross", long), **utf8)
    pages["/bird/copy.html"] = reply(page("Albatross", long), **utf8)
    pages["/bird/nearly.html"] = reply(page("Albatross", long + " and more"), **utf8)
    pages["/bird/other.html"] = reply(page("Penguin and albatross", ENGLISH + "An albatross and a "
                                           "penguin met near the kelp."), **utf8)
    pages["/old.html"] = reply(page("Old", ENGLISH + "Dated mammoth."),
                               Last_Modified="Mon, 02 Mar 2015 10:00:00 GMT", **utf8)
    pages["/new.html"] = reply(page("New", ENGLISH + "Dated mammoth, with push_back() and the "
                                    "allocator, std::vector, libcurl4."),
                               Last_Modified="Tue, 05 Mar 2024 10:00:00 GMT", **utf8)
    pages["/robots.txt"] = ({"Content-Type": "text/plain"}, b"User-agent: *\nDisallow:\n")
    links = "".join(f'<a href="{path}">x</a> ' for path in pages if path != "/robots.txt")
    pages["/"] = reply(page("Contents", "All pages", '<meta name="robots" content="noindex">',
                            links), **utf8)
    return pages


class Languages(harness.Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.holder = harness.Case("run")
        cls.holder.setUp()
        cls.addClassCleanup(cls.holder.doCleanups)
        cls.folder = cls.holder.out
        with harness.PageServer(site()) as server:
            cls.crawler.run("crawl", server.url(), "--out", cls.folder, *harness.QUICK)
            cls.host = server.url("/").split("/")[2]
        cls.catalogue = harness.Catalogue(cls.folder)

    def ask(self, query, *options):
        done = self.crawler.run("search", "--json", *options, "--", self.folder, query, check=None)
        self.assertIn(done.returncode, (0, 1), done.stderr)
        answer = json.loads(done.stdout)
        self.assertEqual(done.returncode, 0 if answer["total"] else 1)
        return answer

    def names(self, query, *options):
        return [r["url"].split("/", 3)[3].removesuffix(".html")
                for r in self.ask(query, *options)["results"]]

    def test_every_language_is_detected(self):
        rows = dict(self.catalogue.rows(
            "SELECT p.url, t.language FROM pages p JOIN page_text t ON t.page_id = p.id"))
        for name, (language, *_) in PAGES.items():
            self.assertEqual(rows[f"http://{self.host}/{name}.html"], language, name)

    def test_what_people_type_finds_the_page(self):
        for name, (*_, queries) in PAGES.items():
            for query in queries:
                with self.subTest(page=name, query=query):
                    self.assertIn(name, self.names(query))
                    if not query.startswith("lang:"):
                        self.assertEqual(self.names(query)[0], name)

    def test_encodings(self):
        self.assertEqual(self.names("drachenflugel"), ["header"])
        self.assertEqual(self.names("creme brulee label"), ["nosuch"])
        self.assertEqual(self.names("xylophone"), ["mislabelled"])
        self.assertEqual(self.names("okapi zebra crossing"), ["broken"])

    def test_pages_that_ask_not_to_be_indexed(self):
        for word in ("wombat", "platypus", "title:hidden"):
            self.assertEqual(self.names(word), [])
        self.assertEqual(self.catalogue.value(
            "SELECT count(*) FROM pages p WHERE noindex AND (EXISTS (SELECT 1 FROM page_text "
            "WHERE page_id = p.id) OR EXISTS (SELECT 1 FROM page_terms WHERE page_id = p.id))"), 0)
        self.assertEqual(self.catalogue.value("SELECT count(*) FROM pages WHERE noindex"), 3)
        self.assertEqual(self.catalogue.value(
            "SELECT count(*) FROM index_terms WHERE term IN ('wombat', 'platypus')"), 0)

    def test_pages_alike_are_folded(self):
        folded = self.ask("albatross")
        self.assertEqual(folded["total"], 4)
        self.assertEqual(sorted(r["folded"] for r in folded["results"]), [0, 2])
        self.assertCountEqual(self.names("albatross", "--no-fold"),
                              ["bird/one", "bird/copy", "bird/nearly", "bird/other"])

    def test_what_a_query_may_say(self):
        birds = ["bird/one", "bird/copy", "bird/nearly"]
        for query, expected in {
            "title:penguin": ["bird/other"],
            "title:kelp": [],
            "kelp inurl:bird": ["bird/other"],
            "kelp inurl:fish": [],
            "albatross -penguin": birds,
            "albatross NOT title:penguin": birds,
            "\"albatross number 7\"": birds,
            "\"number albatross\"": [],
            "penguin OR okapi": ["bird/other", "broken"],
            "(penguin OR okapi) -kelp": ["broken"],
            "xyloph*": ["mislabelled"],
            "mammoth after:2020": ["new"],
            "mammoth after:2015-03-02": ["new", "old"],
            "mammoth after:2015-03-03": ["new"],
            f"site:{self.host} okapi": ["broken"],
            f"site:{self.host}/bird penguin": ["bird/other"],
            "site:example.org okapi": [],
            "push_back()": ["new"],
            "push": ["new"],
            "std::vector": ["new"],
            "vector::std": ["new"],  # As its parts.
            "libcurl": ["new"],
            "lang:de drachenflügel": ["header"],
            "lang:fr drachenflügel": [],
        }.items():
            with self.subTest(query=query):
                self.assertCountEqual(self.names(query, "--no-fold"), expected)

    def test_a_query_may_begin_with_a_dash(self):
        """As the help shows it, not only behind the -- of the command line."""
        for query in ("-penguin albatross", "-help -penguin albatross", "-\"a penguin\" albatross"):
            with self.subTest(query=query):
                done = self.crawler.run("search", self.folder, query, "--json", "--no-fold")
                self.assertEqual([r["title"] for r in json.loads(done.stdout)["results"]],
                                 ["Albatross"] * 3)
        self.assertIn("must not have",
                      self.crawler.run("search", self.folder, "-boost", check=2).stderr)
        self.assertIn("--jsno", self.crawler.run("search", self.folder, "a", "--jsno",
                                                 check=2).stderr)
        self.assertIn("Usage", self.crawler.run("search", "-h").stdout)

    def test_limit_and_offset_page_through_the_same_order(self):
        everything = self.names("lang:en", "--no-fold", "--limit", "100")
        self.assertGreater(len(everything), 8)
        pieces = [name for at in range(0, len(everything), 3)
                  for name in self.names("lang:en", "--no-fold", "--limit", "3", "--offset",
                                         str(at))]
        self.assertEqual(pieces, everything)
        self.assertEqual(self.names("lang:en", "--offset", "9999", "--limit", "1"), [])

    def test_the_cosine_finds_the_same_pages(self):
        for query in ("albatross", "mammoth", "Haus", "penguin OR okapi"):
            self.assertCountEqual(self.names(query, "--no-fold", "--rank", "cosine"),
                                  self.names(query, "--no-fold"))

    def test_suggestions(self):
        answer = self.ask("xylofone")
        self.assertTrue(answer["corrected"])
        self.assertGreater(answer["total"], 0)
        self.assertIn("xylophone", answer["suggestions"]["xylofone"])
        self.assertEqual(answer["did_you_mean"], "xylophone")
        text = self.crawler.run("search", self.folder, "albatros").stdout
        self.assertIn("nothing was found; these are the results for: albatross", text)
        answer = self.ask("penguin xylofone")
        self.assertFalse(answer["corrected"])
        self.assertEqual(answer["did_you_mean"], "penguin xylophone")
        self.assertEqual(answer["results"][0]["missing"], ["xylofone"])
        words = json.loads(self.crawler.run("suggest", self.folder, "xyl", "--json").stdout)["words"]
        self.assertIn("xylophone", [word["word"] for word in words])

    def test_snippets_mark_what_was_looked_for(self):
        for query, expected in (("brotchen", "Brötchen"), ("ﾀﾜｰ", "タワー"), ("книга", "книги"),
                                ("xyloph*", "xylophone")):
            result = self.ask(query)["results"][0]
            text = result["snippet"].encode()
            marked = [text[at:at + size].decode() for at, size in result["highlights"]]
            self.assertIn(expected, " ".join(marked), query)

    def test_why_adds_up(self):
        for result in self.ask("albatross AND penguin AND kelp", "--why")["results"]:
            why = result["why"]
            self.assertAlmostEqual(result["score"], why["text_score"] * why["static_factor"], 6)
            self.assertAlmostEqual(why["text_score"], sum(w["score"] for w in why["words"]), 6)
            self.assertEqual({w["word"]: w["title"] for w in why["words"]},
                             {"albatross": 1, "penguin": 1, "kelp": 0, "(exact title)": 0})

    def assert_refused(self, query):
        done = self.crawler.run("search", "--", self.folder, query, check=2)
        self.assertEqual(done.stdout, "")
        for word in ("sql", "syntax error", "SELECT", "MATCH", "fts", "near \""):
            self.assertNotIn(word, done.stderr)
        return done.stderr

    def test_mistakes_are_explained_with_their_place(self):
        for query, place in {
            "vector (push": "character 8", "a ) b": "character 3", "say \"hello": "character 5",
            "cat OR": "character 5", "OR cat": "character 1", "a AND OR b": "character",
            "after:yesterday": "character 7", "after:2024-13": "character 7",
            "titel:vector": "character 1", "öä (": "character 4", "site:": "character 1",
        }.items():
            with self.subTest(query=query):
                self.assertIn(place, self.assert_refused(query))
        for query in ("", "   ", "-boost", "NOT (a b)", "x" * 5000, "a " * 65, "(" * 40):
            with self.subTest(query=query[:20]):
                self.assertGreater(len(self.assert_refused(query)), 20)

    def test_no_bytes_are_special(self):
        """Whatever a query holds, it finds something, finds nothing or is explained."""
        queries = ["'; DROP TABLE pages; --", "' OR '1'='1", "a' UNION SELECT * FROM urls --",
                   "%", "_", "100%", "\\", "a\\", "[a]", "{a b}", "^a", "a^2", "NEAR(a b)", "a:b",
                   "*", "a**", "\"\"", "\"*\"", "()", "''", "a;b", "🦀", "\u202eabc", "a\nb",
                   "\ufeff", "title:*", "inurl:%", "inurl:'", "site:'", "lang:'x'", "-", "--", "+a"]
        for query in queries:
            with self.subTest(query=query):
                done = self.crawler.run("search", "--", self.folder, query, check=None)
                self.assertIn(done.returncode, (0, 1, 2), done.stderr)
                for word in ("SQL", "sqlite", "syntax error", "no such"):
                    self.assertNotIn(word, done.stderr)
                if done.returncode == 2:
                    self.assertTrue(done.stderr.startswith("crawler "), done.stderr)
        self.assertGreater(self.catalogue.value("SELECT count(*) FROM pages"), 20)

    def test_titles_are_cut_and_made_safe(self):
        """Of what a terminal would obey nothing is left; JSON has the title as it is."""
        title = "Okapi \u202egnp.exe\u202c \u2066x\u2069 \u061c" + "long " * 100
        page = f"<title>{title}</title><p>quokka \u202esdrawkcab\u202c".encode()
        with harness.PageServer({"/": ({"Content-Type": "text/html; charset=utf-8"}, page)}) as web:
            self.crawler.run("crawl", web.url(), "--out", self.base / "titles", *harness.QUICK)
        shown = self.crawler.run("search", self.base / "titles", "quokka").stdout
        for character in "\u202e\u202c\u2066\u2069\u061c":
            self.assertNotIn(character, shown)
        self.assertIn("\\u202egnp.exe\\u202c", shown)
        first = shown.splitlines()[0]
        self.assertTrue(first.endswith("…"), first)
        self.assertLess(len(first), 160)
        done = self.crawler.run("search", self.base / "titles", "quokka", "--json")
        self.assertEqual(json.loads(done.stdout)["results"][0]["title"], title.strip())

    def test_an_index_that_is_not_ready_is_no_mistake(self):
        with harness.PageServer({"/": ({"Content-Type": "text/html"}, b"<p>quokka")}) as web:
            self.crawler.run("crawl", web.url(), "--out", self.base / "stopped", *harness.QUICK)
            url = web.url()
        # As a crawl that was stopped before its indexing phase leaves it.
        db = sqlite3.connect(self.base / "stopped" / "crawl.db")
        db.executescript("DELETE FROM index_terms; DELETE FROM page_weights; DELETE FROM "
                         "crawl_state WHERE key IN ('index.terms', 'index.ranks'); UPDATE "
                         "crawl_state SET value = value + 1 WHERE key = 'index.generation'")
        db.close()
        not_ready = 6
        for command in (["search", "quokka", "--rank", "cosine"], ["similar", url],
                        ["keywords", url]):
            arguments = [command[0], self.base / "stopped", *command[1:]]
            done = self.crawler.run(*arguments, check=not_ready)
            self.assertIn("crawler index", done.stderr)
            answer = json.loads(self.crawler.run(*arguments, "--json", check=not_ready).stdout)
            self.assertEqual(answer["error"], "not_ready")
        done = self.crawler.run("search", self.base / "stopped", "a (", "--json", check=2)
        self.assertEqual(json.loads(done.stdout)["error"], "bad_query")
        self.crawler.run("index", self.base / "stopped")
        self.crawler.run("search", self.base / "stopped", "quokka", "--rank", "cosine")

    def test_totals_that_are_not_exact_say_so(self):
        self.assertTrue(self.ask("albatross")["total_is_exact"])
        self.assertFalse(self.ask("\"the albatross\"")["total_is_exact"])
        shown = self.crawler.run("search", self.folder, "\"the albatross\"").stdout
        self.assertRegex(shown, r"(?m)^about \d+ pages? in")

    def test_where_there_is_no_crawl(self):
        for command in (["search", self.base, "x"], ["index", self.base / "nowhere"],
                        ["similar", self.base / "nowhere", "http://a.example/"]):
            done = self.crawler.run(*command, check=1)
            self.assertTrue(done.stderr.startswith("crawler "), done.stderr)
            self.assertNotIn("sql", done.stderr.lower())


if __name__ == "__main__":
    harness.main(__doc__)
