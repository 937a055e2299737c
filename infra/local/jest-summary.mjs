import { writeFileSync } from 'node:fs';

/** Counts for the last line of a run, which infra/local/test.ts prints when jest has said all it has to say. */
export default class Summary {
  onRunComplete(_contexts, results) {
    const file = process.env.TEST_SUMMARY_FILE;
    if (!file) return;
    const failed = results.numFailedTests + results.numRuntimeErrorTestSuites;
    writeFileSync(file, `Tests: ${results.numPassedTests} passed, ${failed} failed\n`);
  }
}
