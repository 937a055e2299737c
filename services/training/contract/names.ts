import { nameRecords, operations } from '@tandem/contract';

/** Names of records, which the gateway adds to responses for `include`. */
export const internalNames = operations({ nameCourses: nameRecords(['course', 'lesson', 'module', 'question_bank']) });
