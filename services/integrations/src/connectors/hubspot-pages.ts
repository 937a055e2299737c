// Reads objects of HubSpot page by page.
import type { Call, CallAnswer, CallRequest } from './calling.ts';
import { CallError } from './connector.ts';
import { runAt, type Step } from './crm-runs.ts';
import type { DealSettings } from './crm-settings.ts';
import {
  changedProperty,
  type HubspotObject,
  hubspotObjects,
  hubspotRecord,
  type References,
  referredObjects,
  requestedProperties,
} from './hubspot-records.ts';
import type { SyncContext, SyncPage } from './sync.ts';
import { idOf, listOf, objectOf, textOf, timeOf, type Values } from './values.ts';

const base = 'https://api.hubapi.com';
// The largest page, and smaller ones if a page with long texts exceeds the limit of a response.
const pageSizes = [100, 20, 4, 1];
// HubSpot cannot filter deleted objects by time, and nothing is deleted here because of them. So only the first are read.
const deletedMax = 2_000;
// Types of the associations with the primary company: https://developers.hubspot.com/docs/api-reference/crm-associations-v4/guide
const primaryTypeIds = [1, 5];
const primaryTypes = ['contact_to_company', 'deal_to_company'];

/** The objects of a page, and where the next page begins. */
interface Found {
  results: unknown[];
  next: string | null;
}

/** Reads the next objects: all of them in the first run, later those that changed, and those that were deleted. */
export async function readHubspot(
  context: SyncContext,
  settings: DealSettings & { objects: readonly HubspotObject[] },
): Promise<SyncPage> {
  const { step, after, next } = runAt(context.cursor, settings.objects, { hasDeleted: true });
  const { object } = step;
  const call = limited(context.call);
  const properties = requestedProperties(object, context.fieldMappings);
  const found = await smaller((limit) => findPage(call, step, { properties, after, limit }));
  const referencesOf =
    step.part === 'records' && step.since ? await readReferences(call, object, found.results) : listedReferences;
  const records = found.results.flatMap((one) => {
    const record = hubspotRecord(object, one, { references: referencesOf(one), settings });
    return record ?? [];
  });
  return { records, ...next(found.next) };
}

function findPage(
  call: Call,
  step: Step<HubspotObject>,
  page: { properties: string[]; after: string | null; limit: number },
): Promise<Found> {
  if (step.part === 'deleted') return listDeleted(call, step, page);
  return step.since ? search(call, step.object, { ...page, since: step.since }) : list(call, step.object, page);
}

interface Page {
  properties: string[];
  after: string | null;
  limit: number;
}

async function list(call: Call, object: HubspotObject, { properties, after, limit }: Page): Promise<Found> {
  // https://developers.hubspot.com/docs/api-reference/crm-objects-v3/basic/get-crm-v3-objects-objectType
  const { results, next } = await listed(call, object, {
    limit: String(limit),
    properties: properties.join(','),
    ...(referredObjects[object].length && { associations: referredObjects[object].join(',') }),
    ...(after !== null && { after }),
  });
  // A system that repeats a page would never end.
  if (next !== null && next === after) throw new CallError('provider_unavailable');
  return { results, next };
}

/** Objects that were deleted since the previous run, without their content: nothing is written from it. */
async function listDeleted(call: Call, { object, since }: Step<HubspotObject>, { after, limit }: Page): Promise<Found> {
  const [read, from] = deletedPosition(after);
  const { results, next } = await listed(call, object, {
    archived: 'true',
    limit: String(limit),
    ...(from !== null && { after: from }),
  });
  const sinceMs = since?.getTime() ?? 0;
  const recent = results.filter((one) => {
    const at = timeOf(objectOf(one)['archivedAt']);
    return at === undefined || Date.parse(at) >= sinceMs;
  });
  const total = read + results.length;
  const isEnd = next === null || next === from || !results.length || total >= deletedMax;
  return {
    results: recent.map((one) => ({ ...objectOf(one), archived: true })),
    next: isEnd ? null : `${total} ${next}`,
  };
}

/** The number of deleted objects that were read, and where the next ones begin. */
function deletedPosition(after: string | null): [read: number, from: string | null] {
  const [read, from = null] = after === null ? [] : after.split(' ');
  return [Number(read ?? 0), from];
}

async function listed(call: Call, object: HubspotObject, query: Record<string, string>): Promise<Found> {
  const { body } = await call({ url: `${base}/crm/v3/objects/${object}?${new URLSearchParams(query)}` });
  return foundIn(body);
}

/**
 * Searches for changed objects, in the order of their ids. Each page is a search of its own for greater ids: a search
 * returns at most 10,000 results, and pages by position would skip objects that change meanwhile.
 */
async function search(
  call: Call,
  object: HubspotObject,
  { properties, after, limit, since }: Page & { since: Date },
): Promise<Found> {
  const filters = [
    { propertyName: changedProperty[object], operator: 'GTE', value: String(since.getTime()) },
    ...(after === null ? [] : [{ propertyName: 'hs_object_id', operator: 'GT', value: after }]),
  ];
  // https://developers.hubspot.com/docs/api-reference/search/guide
  const { body } = await call({
    url: `${base}/crm/v3/objects/${object}/search`,
    method: 'POST',
    body: {
      filterGroups: [{ filters }],
      sorts: [{ propertyName: 'hs_object_id', direction: 'ASCENDING' }],
      properties,
      limit,
    },
  });
  const { results, next } = foundIn(body);
  if (next === null || !results.length) return { results, next: null };
  const last = results
    .map(numberedId)
    .sort((one, other) => (one < other ? -1 : 1))
    .at(-1) as bigint;
  if (last <= BigInt(after ?? 0)) throw new CallError('provider_unavailable');
  return { results, next: String(last) };
}

function numberedId(found: unknown): bigint {
  const id = idOf(objectOf(found)['id']) ?? '';
  return /^\d{1,19}$/.test(id) ? BigInt(id) : 0n;
}

/** @throws CallError when the body is no page of objects */
function foundIn(body: unknown): Found {
  const { results, paging } = objectOf(body);
  if (!Array.isArray(results)) throw new CallError('provider_unavailable');
  const next = textOf(objectOf(objectOf(paging)['next'])['after'], 1_000);
  return { results: listOf(results, pageSizes[0] as number), next: next || null };
}

/** The references of an object that was listed with its associations. */
function listedReferences(found: unknown): References {
  const associations = objectOf(objectOf(found)['associations']);
  return Object.fromEntries(
    hubspotObjects.flatMap((object) => {
      const linked = listOf(objectOf(associations[object])['results'], 500).map(objectOf);
      const chosen = linked.find(({ type }) => primaryTypes.includes(String(type))) ?? linked[0];
      const id = idOf(chosen?.['id']);
      return id === null ? [] : [[object, id]];
    }),
  );
}

/** The references of objects that were searched, because a search returns none. */
async function readReferences(
  call: Call,
  object: HubspotObject,
  results: readonly unknown[],
): Promise<(found: unknown) => References> {
  const inputs = results.flatMap((one) => {
    const id = idOf(objectOf(one)['id']);
    return id === null ? [] : [{ id }];
  });
  const byId = new Map<string, References>();
  for (const to of inputs.length ? referredObjects[object] : []) {
    // https://developers.hubspot.com/docs/api-reference/crm-associations-v4/batch/post-crm-v4-associations-fromObjectType-toObjectType-batch-read
    const { body } = await call({
      url: `${base}/crm/v4/associations/${object}/${to}/batch/read`,
      method: 'POST',
      body: { inputs },
    });
    for (const one of listOf(objectOf(body)['results'], inputs.length).map(objectOf)) {
      const from = idOf(objectOf(one['from'])['id']);
      const id = primaryOf(listOf(one['to'], 500).map(objectOf));
      if (from !== null && id !== null) byId.set(from, { ...byId.get(from), [to]: id });
    }
  }
  return (found) => byId.get(idOf(objectOf(found)['id']) ?? '') ?? {};
}

function primaryOf(linked: Values[]): string | null {
  const isPrimary = ({ associationTypes }: Values) =>
    listOf(associationTypes, 50).some((one) => {
      const { category, typeId } = objectOf(one);
      return category === 'HUBSPOT_DEFINED' && primaryTypeIds.includes(Number(typeId));
    });
  return idOf((linked.find(isPrimary) ?? linked[0])?.['toObjectId']);
}

/** Requests a page, and a smaller one if the response is too large. */
async function smaller(read: (limit: number) => Promise<Found>): Promise<Found> {
  for (const limit of pageSizes) {
    try {
      return await read(limit);
    } catch (error) {
      if (!(error instanceof CallError && error.isTooLarge) || limit === 1) throw error;
    }
  }
  throw new CallError('provider_unavailable');
}

/** The seconds after which a limit of HubSpot is over: https://developers.hubspot.com/docs/developer-tooling/platform/usage-guidelines */
const limitSeconds: Record<string, number> = { SECONDLY: 1, TEN_SECONDLY_ROLLING: 10, DAILY: 3_600 };

/** Adds to a refusal by a limit when a call can succeed: HubSpot names the limit, and often sends no Retry-After. */
function limited(call: Call): Call {
  return async (request: CallRequest): Promise<CallAnswer> => {
    try {
      return await call(request);
    } catch (error) {
      if (!(error instanceof CallError) || error.retryAt) throw error;
      const seconds = limitSeconds[textOf(objectOf(error.body)['policyName'], 50)];
      if (seconds === undefined) throw error;
      const { failure, status, body } = error;
      const retryAt = new Date(Date.now() + seconds * 1_000);
      throw new CallError(failure, { retryAt, body, ...(status !== null && { status }) });
    }
  };
}
