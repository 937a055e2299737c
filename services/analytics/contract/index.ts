// The contract of analytics: recorded engagement events.
import { engagement } from './events.ts';

export * from './events.ts';

export const analytics = { ...engagement };
