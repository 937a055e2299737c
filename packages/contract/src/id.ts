import { z } from 'zod';

/**
 * Every resource type that has a public id, with its number in the id. The numbers are part of the public contract,
 * because clients store ids: append, never renumber. Bounds: number < 3721, tenant < 2^24, id < 2^40; within them a code
 * has 16 or 17 characters, because two of 61 symbols hold the number (`packages/ids/src/codec.test.ts`).
 */
export const resourceTypes = {
  tenant: 1,
  user: 2,
  api_key: 3,
  role: 4,
  session: 5,
  audit_log: 6,
  lead: 7,
  duplicate_pair: 8,
  webhook: 9,
  delivery: 10,
  event: 11,
  team: 12,
  opportunity: 13,
  task: 14,
  partner: 15,
  commission: 16,
  form: 17,
  job: 18,
  course: 19,
  lesson: 20,
  file: 21,
  agent: 22,
  execution: 23,
  bulk_run: 24,
  notification: 25,
  notification_batch: 26,
  subscription: 27,
  addon: 28,
  status_definition: 29,
  co_marketing_resource: 30,
  campaign: 31,
  workflow: 32,
  landing_page: 33,
  engagement_event: 34,
  statement: 35,
  portal_user: 36,
  recommendation: 37,
  referral: 38,
  referral_code: 39,
  enrollment: 40,
  commission_plan: 41,
  payout: 42,
  approval: 43,
  view: 44,
  invitation: 45,
  sso_domain: 46,
  account: 47,
  pipeline: 48,
  win_loss_reason: 49,
  custom_field: 50,
  assignment_rule: 51,
  scoring_rule: 52,
  lead_merge: 53,
  import: 54,
  milestone: 55,
  quota: 56,
  forecast_submission: 57,
  subtask: 58,
  reminder: 59,
  escalation_rule: 60,
  calendar_event: 61,
  time_off: 62,
  booking_link: 63,
  activity: 64,
  erasure: 65,
  topic: 66,
  suppression: 67,
  template: 68,
  workflow_execution: 69,
  message: 70,
  segment: 71,
  form_submission: 72,
  sender: 73,
  sending_domain: 74,
  ab_test: 75,
  page_domain: 76,
  file_version: 77,
  signature_request: 80,
  signer: 81,
  signature_field: 82,
  module: 84,
  question: 85,
  question_bank: 86,
  attempt: 87,
  certificate: 88,
  enrollment_rule: 89,
  ocr_job: 90,
  tier_change: 91,
  referral_conflict: 92,
  parent_change: 93,
  deal_registration: 94,
  payout_item: 95,
  duplicate: 96,
  export: 98,
  prediction_model: 102,
  cohort_definition: 103,
  report: 104,
  report_run: 105,
  report_schedule: 106,
  agent_schedule: 107,
  api_log: 115,
  connection: 110,
  connector_config: 111,
  connector_run: 116,
} as const;

export type ResourceType = keyof typeof resourceTypes;

/**
 * Ids of records of one of several types, such as the learner of a course. The public code is the one of the record itself.
 * Inside the fleet the id is a number that holds the id and the position of the type in this list: append, never reorder.
 */
export const idUnions = { learner: ['user', 'partner', 'lead'] } as const satisfies Record<
  string,
  readonly ResourceType[]
>;

export type IdUnion = keyof typeof idUnions;
export type MemberOf<Union extends IdUnion> = (typeof idUnions)[Union][number];
/** The content of an id field: ids of one resource type, or of a union of types. */
export type IdKind = ResourceType | IdUnion;

export function isIdUnion(kind: IdKind): kind is IdUnion {
  return Object.hasOwn(idUnions, kind);
}

// More than the members of any union will be.
const membersMax = 8;

/** The number inside the fleet for a record of a union. */
export function unionNumber<Union extends IdUnion>(union: Union, type: MemberOf<Union>, id: number): number {
  return id * membersMax + (idUnions[union] as readonly ResourceType[]).indexOf(type);
}

/** The type and the id of the record that a number of a union stands for; undefined if there is no such type. */
export function unionMember<Union extends IdUnion>(
  union: Union,
  number: number,
): { type: MemberOf<Union>; id: number } | undefined {
  const type = idUnions[union][number % membersMax];
  const id = Math.floor(number / membersMax);
  return type !== undefined && id > 0 ? { type: type as MemberOf<Union>, id } : undefined;
}

// Resources of the platform have the same id for every tenant: it contains tenant 0.
const platformTypes = new Set<IdKind>(['addon']);

/** Whether resources of a type belong to the platform instead of a tenant. */
export function isOfPlatform(type: IdKind): boolean {
  return platformTypes.has(type);
}

const idSchemas = z.registry<{ type: IdKind; isList?: true }>();

/**
 * An id field of a resource: a string on the wire, a safe integer inside the fleet. Between gateway and services the
 * string is the decimal number; the gateway converts it to the public code.
 */
export function id<T extends IdKind>(type: T) {
  const wire = z.string({ error: unknownId(type) }).regex(/^[1-9][0-9]{0,12}$/, { error: unknownId(type) });
  const schema = z.codec(wire, z.int().positive(), { decode: Number, encode: String });
  idSchemas.add(schema, { type });
  return schema;
}

/** Several ids in one query parameter, separated by commas; none twice. */
export function idList<T extends ResourceType>(type: T, max: number) {
  const error = unknownId(type);
  const wire = z
    .string({ error })
    .regex(/^[1-9][0-9]{0,12}(,[1-9][0-9]{0,12})*$/, { error })
    .refine((list) => list.split(',').length <= max, { error: `Must name at most ${max}` });
  const schema = z.codec(wire, z.array(z.int().positive()), {
    decode: (list) => [...new Set(list.split(',').map(Number))],
    encode: (ids) => ids.join(','),
  });
  idSchemas.add(schema, { type, isList: true });
  return schema;
}

/** The word for the acting user in filters by user. */
export const me = 'me';

/** The filter of a list by user: the id of a user, or `me`. The gateway leaves the word as it is. */
export function assigneeFilter() {
  const error = unknownId('user');
  const schema = z.codec(
    z.string({ error }).regex(/^(me|[1-9][0-9]{0,12})$/, { error }),
    z.union([z.literal(me), z.int()]),
    {
      decode: (wire) => (wire === me ? me : Number(wire)),
      encode: String,
    },
  );
  idSchemas.add(schema, { type: 'user' });
  return schema;
}

/** An id inside an error message: the gateway replaces it with the public code. */
export function idInText(type: ResourceType, id: number): string {
  return `‹${type} ${id}›`;
}

/** Matches the ids in error messages: type and number. */
export const idsInText = /‹([a-z_]+) ([1-9][0-9]{0,12})›/g;

/**
 * The message for an id that does not name a resource of the caller: the same for foreign, mistyped and missing ids.
 */
export function unknownId(type: IdKind): string {
  return `No ${resourceNoun(type)} with this id`;
}

const nouns: Partial<Record<IdKind, string>> = {
  ab_test: 'A/B test',
  api_key: 'API key',
  api_log: 'API log entry',
  audit_log: 'audit log entry',
  ocr_job: 'OCR job',
  co_marketing_resource: 'co-marketing resource',
  enrollment: 'enrolment',
  sso_domain: 'domain',
  connector_config: 'config',
};

/** The noun for a resource type in texts for customers. */
export function resourceNoun(type: IdKind): string {
  return nouns[type] ?? type.replaceAll('_', ' ');
}

/** The resource type, or the union of types, of an id schema; undefined for any other schema. */
export function idType(schema: z.core.$ZodType): IdKind | undefined {
  return idSchemas.get(schema)?.type;
}

/** Whether a schema is of several ids in one parameter. */
export function isIdList(schema: z.core.$ZodType): boolean {
  return idSchemas.get(schema)?.isList ?? false;
}

/** The number of a resource type inside a public id. */
export function resourceNumber(type: ResourceType): number {
  return resourceTypes[type];
}
