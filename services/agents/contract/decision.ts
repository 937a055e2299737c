import { id, timestamp } from '@tandem/contract';
import { z } from 'zod';

/** The outcome for one entry of a bulk request. */
export const BulkStatus = z.enum(['success', 'error']).meta({ examples: ['success'] });

/** Fields of a record that a person decides about. */
export const decision = {
  decidedBy: id('user')
    .nullable()
    .meta({ description: 'The user who made the decision', examples: [null] }),
  decidedAt: timestamp()
    .nullable()
    .meta({ description: 'When the decision was made', examples: [null] }),
};

/** The same fields in the example of a record that is decided. */
export const exampleDecision = { decidedBy: 'a3HT7XOrDKJZ9JtB', decidedAt: '2026-03-02T10:02:00.000Z' };
