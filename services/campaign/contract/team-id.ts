import { id } from '@tandem/contract';

/** The team of a record that has no assignee. */
export const TeamId = id('team')
  .nullable()
  .describe('The team that the record belongs to: that of the user who created it, if the user was in exactly one');
