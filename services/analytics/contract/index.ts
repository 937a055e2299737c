// The contract of analytics: recorded engagement events.
import { personalDataOperations } from '@tandem/contract';
import { engagement } from './events.ts';

export * from './events.ts';

export const analytics = { ...engagement, ...personalDataOperations };
