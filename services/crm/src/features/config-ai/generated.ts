import type { Source } from '@tandem/ai';
import type { z } from 'zod';

/** What was generated, and where it comes from. */
export interface Generated<Schema extends z.ZodType> {
  output: z.output<Schema>;
  source: Source;
}
