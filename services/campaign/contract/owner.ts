import { id } from '@tandem/contract';

/** The user to whom a record belongs, as replies show it. */
export const OwnerId = id('user').nullable().describe('The user who owns the record');

/** The owner in the body of a create. */
export const NewOwnerId = id('user')
  .nullish()
  .describe('The active user who owns the record; the acting user if omitted');

/** The team of a record, which follows the owner. */
export const TeamId = id('team')
  .nullable()
  .describe(
    'The team that the record belongs to: that of its owner, if the owner is in exactly one. It follows the owner to another team.',
  );
