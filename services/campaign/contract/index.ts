// What campaign will offer; today the events that its resources send.
export * from './forms.ts';

export const campaign = {};
