import { leadSources, leadStatuses } from './lead.ts';

/** Values of fields that have only these, so that a condition with another one could never be met. */
export const conditionValues: Readonly<Record<string, readonly string[]>> = {
  source: leadSources,
  status: leadStatuses,
};
