export { type Counting, countingIn, holdCounting, readTimezone, stopCounting, unknownTimezone } from './counting.ts';
export {
  addCounts,
  type Count,
  datedNames,
  engagementNames,
  type MeasureName,
  negated,
  present,
  presentNames,
} from './counts.ts';
