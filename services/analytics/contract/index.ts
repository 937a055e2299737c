// What analytics offers: engagement events, as they are recorded.
import { engagement } from './events.ts';

export * from './events.ts';

export const analytics = { ...engagement };
