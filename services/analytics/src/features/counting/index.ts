export { type Counting, countingIn, holdCounting, stopCounting, unknownTimezone } from './counting.ts';
export { addCounts, type Count, type MeasureName, negated, present } from './counts.ts';
