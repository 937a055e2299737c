export { type Counting, countingIn, holdCounting, readTimezone, stopCounting } from './counting.ts';
export { addCounts, type Count, type MeasureName, negated, present } from './counts.ts';
