// The format that CONTRIBUTING begins with. It is copied from there, its test with it.
import "../../test-formats/notes/notes.test.ts";
