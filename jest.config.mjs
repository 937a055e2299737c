/** @type {import('jest').Config} */
export default {
  roots: ['gateway', 'services', 'packages', 'e2e', 'infra'].map((folder) => `<rootDir>/${folder}`),
  testMatch: ['**/*.test.ts'],
  testPathIgnorePatterns: ['/node_modules/', '/generated/', '/\\.local/'],
  modulePathIgnorePatterns: ['<rootDir>/\\.local/'],
  testEnvironment: 'node',
  extensionsToTreatAsEsm: ['.ts'],
  // TypeScript is ours, wherever pnpm's links lead to it; packages from the registry are JavaScript already.
  transform: {
    '\\.ts$': [
      '@swc/jest',
      { jsc: { parser: { syntax: 'typescript' }, target: 'es2024' }, module: { type: 'es6' }, sourceMaps: 'inline' },
    ],
  },
  transformIgnorePatterns: ['\\.m?js$'],
  maxWorkers: 2,
  // Longer than `until` waits, so that what it waited for is in the message.
  testTimeout: 60_000,
  reporters: ['default', '<rootDir>/infra/local/jest-summary.mjs'],
};
