import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** Writes down how many tests passed and failed. infra/local/test.ts adds up the runs of all packages. */
export default class Summary {
  onRunComplete(_contexts, results) {
    const file = process.env.TEST_SUMMARY_FILE;
    if (!file) return;
    mkdirSync(dirname(file), { recursive: true });
    const failed = results.numFailedTests + results.numRuntimeErrorTestSuites;
    writeFileSync(file, JSON.stringify({ passed: results.numPassedTests, failed }));
  }
}
