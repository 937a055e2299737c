/** @type {import('jest').Config} */
export default {
  roots: ['gateway', 'services', 'packages', 'e2e', 'infra'].map((folder) => `<rootDir>/${folder}`),
  testMatch: ['**/*.test.ts'],
  testPathIgnorePatterns: ['/node_modules/', '/generated/', '/\\.local/'],
  modulePathIgnorePatterns: ['<rootDir>/\\.local/'],
  // Runs test files as plain modules of Node, in one process per worker. Jest's own runner loads all modules again for
  // each file, which took most of the processor time of the tests.
  runner: ['jest-light-runner', { runtime: 'child_process' }],
  setupFilesAfterEnv: ['<rootDir>/infra/local/jest-setup.mjs'],
  maxWorkers: 2,
  reporters: ['default', '<rootDir>/infra/local/jest-summary.mjs'],
};
