import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, relative } from 'node:path';
import { stripVTControlCharacters } from 'node:util';

const linesPerFailure = 20;

/** Jest reporter that writes the result of a package for the end of `npm test`, which infra/local/test.ts prints. */
export default class Summary {
  onRunComplete(_contexts, results) {
    const file = process.env.TEST_SUMMARY_FILE;
    if (!file) return;
    mkdirSync(dirname(file), { recursive: true });
    const failed = results.numFailedTests + results.numRuntimeErrorTestSuites;
    const failures = results.testResults.flatMap(failuresOf);
    const files = results.testResults.map(({ testFilePath, perfStats }) => ({
      name: nameOf(testFilePath),
      seconds: (perfStats.end - perfStats.start) / 1000,
    }));
    writeFileSync(file, JSON.stringify({ passed: results.numPassedTests, failed, failures, files }));
  }
}

const nameOf = (testFilePath) => relative(process.cwd(), testFilePath);

/** The title and the beginning of the message of each failure of one test file. */
function failuresOf({ testFilePath, testExecError, testResults }) {
  const file = nameOf(testFilePath);
  const tests = testResults
    .filter(({ status }) => status === 'failed')
    .map(({ fullName, failureMessages }) => failure(`${file}: ${fullName}`, failureMessages.join('\n')));
  return testExecError ? [failure(file, testExecError.stack ?? testExecError.message), ...tests] : tests;
}

function failure(title, message = '') {
  const lines = stripVTControlCharacters(message).split('\n').slice(0, linesPerFailure);
  return { title, message: lines.join('\n') };
}
