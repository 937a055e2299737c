// What partner will offer; today the events that its resources send.
export * from './partners.ts';

export const partner = {};
