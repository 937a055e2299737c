import { z } from 'zod';
import { event } from './event.ts';
import { id } from './id.ts';
import { operations } from './operation.ts';

/**
 * The services that hold data of the people behind leads. Each declares `personalData` of `@tandem/service`; an erasure
 * waits for all of them, and an export asks all of them.
 */
export const personalDataServices = [
  'agents',
  'analytics',
  'campaign',
  'crm',
  'files',
  'identity',
  'integrations',
  'partner',
  'search',
  'training',
] as const;

export type PersonalDataService = (typeof personalDataServices)[number];

/** By what the services find the data of a person. Only services exchange it, so ids are numbers. */
export const Person = z.object({
  /** The lead, and the leads that were merged into it. */
  leadIds: z.array(z.int()),
  /** Their public ids, for services that store those. */
  leadCodes: z.array(z.string()),
  /** In lower case. */
  emails: z.array(z.string()),
  /** First and last names together, as `Ada Lovelace`. */
  names: z.array(z.string()),
  phones: z.array(z.string()),
  /** Records that are erased as a whole. Their entries in the audit log lose their values too. */
  taskIds: z.array(z.int()),
  activityIds: z.array(z.int()),
  calendarEventIds: z.array(z.int()),
  /** The public ids of these tasks, activities and calendar events. */
  recordCodes: z.array(z.string()),
  /** The opportunities of the leads, which stay without texts. */
  opportunityIds: z.array(z.int()),
});
export type Person = z.output<typeof Person>;

/** Numbers of erased or anonymized records, by kind. */
export const ErasedCounts = z.record(z.string(), z.int());

// Not audited: the audit log must not get the values that it is going to erase.
export const personalDataErasureRequested = event('personal_data.erasure_requested', {
  description: 'Every service erases the data of a person',
  action: 'personal_data.erase',
  target: 'erasure',
  audited: false,
  data: z.object({
    person: Person,
    /** The services that have not erased their data yet. */
    services: z.array(z.enum(personalDataServices)),
  }),
  record: z.object({ id: id('erasure') }),
});
/** Every service emits it when it has erased its data. */
export const personalDataErased = event('personal_data.erased', {
  description: 'A service erased its data of a person',
  action: 'personal_data.report_erasure',
  target: 'erasure',
  audited: false,
  data: z.object({ service: z.string(), erased: ErasedCounts }),
  record: z.object({ id: id('erasure') }),
});

/** A kind of records in the export of a person. */
export const ExportSection = z.object({
  name: z.string().meta({ description: 'The kind of the records', examples: ['engagementEvents'] }),
  total: z.int().meta({
    description: 'The number of records; more than `records` holds if there are over 5,000',
    examples: [1],
  }),
  records: z
    .array(z.record(z.string(), z.unknown()))
    .meta({ description: 'The records, with public ids', examples: [[{ type: 'email_open' }]] }),
});

/** A section as a service returns it: ids are numbers at these paths, which crm encodes. */
const StoredSection = ExportSection.extend({
  ids: z.array(z.object({ path: z.array(z.string()), type: z.string() })),
});
export type StoredSection = z.output<typeof StoredSection>;

/** Maximum number of records of one kind in the export of a person. */
export const exportSectionMax = 5_000;

/** The internal operation that returns the data of a person in one service, for the export of crm. */
export const personalDataOperations = operations({
  exportPerson: {
    method: 'POST',
    path: '/internal/personal-data/export',
    audience: 'internal',
    summary: 'Return the data of a person',
    timeoutMs: 20_000,
    bodyMax: 1_000_000,
    body: z.object({ person: Person }),
    reply: z.object({ sections: z.array(StoredSection) }),
    message: 'Personal data retrieved',
    emits: [],
  },
});
