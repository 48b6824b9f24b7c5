// read_archive.mjs MODULES FILE…: reads archives with warcio and takes the digests again. Prints
// how many records there were; fails at the first thing that is not as it should be.
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { createRequire } from "node:module";

const [modules, ...files] = process.argv.slice(2);
const { WARCParser } = createRequire(`${modules}/`)("warcio");

const fail = (message) => {
  console.error(message);
  process.exit(1);
};
console.warn = fail;

const sha256 = (bytes) => "sha256:" + createHash("sha256").update(bytes).digest("hex");
const ids = new Set();
let responses = 0;

for (const file of files) {
  let first = true;
  let response = null;
  for await (const record of new WARCParser(createReadStream(file))) {
    const where = `${file}: ${record.warcType} ${record.warcTargetURI}`;
    const field = (name) => record.warcHeader(name);
    if (first !== (record.warcType === "warcinfo")) fail(`${where}: warcinfo is not first`);
    first = false;
    if (ids.has(field("WARC-Record-ID"))) fail(`${where}: an id twice`);
    ids.add(field("WARC-Record-ID"));
    // The payload is without chunks, but in its content coding; warcio undoes both or neither.
    const chunked = record.httpHeaders?.headers.get("transfer-encoding") === "chunked";
    const payload = await record.readFully(chunked);
    if (record.warcType === "response") {
      ++responses;
      if (sha256(payload) !== field("WARC-Payload-Digest")) fail(`${where}: payload digest`);
      if (!(record.httpHeaders.statusCode >= 200)) fail(`${where}: status`);
    }
    if (record.warcType === "metadata" && sha256(payload) !== field("WARC-Block-Digest")) {
      fail(`${where}: block digest`);
    }
    if (record.warcType === "response" || record.warcType === "revisit") {
      response = field("WARC-Record-ID");
    } else if (record.warcType !== "warcinfo" && field("WARC-Concurrent-To") !== response) {
      fail(`${where}: belongs to no response`);
    }
  }
}
if (responses === 0) fail("no responses");
console.log(`${ids.size} records, ${responses} responses`);
