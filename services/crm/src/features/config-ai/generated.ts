import type { Source } from '@tandem/ai';
import type { z } from 'zod';

/** Generated output and its source. */
export interface Generated<Schema extends z.ZodType> {
  output: z.output<Schema>;
  source: Source;
}
