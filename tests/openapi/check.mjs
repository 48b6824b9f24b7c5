// check.mjs FILE: fails unless the file is a valid OpenAPI document, by a validator that is not ours.
import { readFileSync } from "node:fs";
import { Validator } from "@seriousme/openapi-schema-validator";

const text = readFileSync(process.argv[2], "utf8");
const validator = new Validator();
const result = await validator.validate(JSON.parse(text));
if (!result.valid) {
  console.log(JSON.stringify(result.errors, null, 1));
  process.exit(1);
}
if (validator.version !== "3.1") throw new Error(`it is of version ${validator.version}`);
// A check that cannot fail is none.
const broken = JSON.parse(text);
delete broken.info.title;
if ((await new Validator().validate(broken)).valid) throw new Error("a broken document is accepted");
