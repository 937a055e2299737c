import { code } from '@tandem/contract';
import { z } from 'zod';

const mappedMax = 200;
/** An id of another system, as HubSpot and Pipedrive have them. */
const TheirId = z.string().regex(/^[A-Za-z0-9_-]{1,64}$/, 'Must be an id of the connected system');
const OurId = z.string().regex(/^[A-Za-z0-9_]{1,64}$/, 'Must be an id');

function mapped<Schema extends z.ZodType>(to: Schema, description: string) {
  return z
    .record(TheirId, to)
    .refine((entries) => Object.keys(entries).length <= mappedMax, `Must have at most ${mappedMax} entries`)
    .describe(description)
    .default({} as never);
}

/** The settings of an import from another CRM, whose objects have these names. */
export function crmSettings<const Names extends readonly [string, ...string[]]>(names: Names) {
  return z.object({
    objects: z
      .array(z.enum(names, { error: `Must be one of ${names.join(', ')}` }), { error: 'Must be a list of objects' })
      .min(1, 'Must contain at least one object')
      .max(names.length, `Must contain at most ${names.length} objects`)
      .describe('The objects to import')
      .default([...names] as never),
    pipelines: mapped(OurId, 'The id of your pipeline for the ids of pipelines in the connected system'),
    stages: mapped(
      OurId,
      'The id or the code of your stage for the ids of stages in the connected system; deals in other stages start in your default stage',
    ),
    lostReasonCode: code().describe('The code of the win-loss reason that lost deals get').default('other'),
    updateExisting: z
      .boolean({ error: 'Must be true or false' })
      .describe('Whether records that exist already are updated')
      .default(true),
  });
}

/** How deals are imported. */
export type DealSettings = Pick<z.output<ReturnType<typeof crmSettings>>, 'pipelines' | 'stages' | 'lostReasonCode'>;
