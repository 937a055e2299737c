// Reads objects of Pipedrive page by page.
import { CallError } from './connector.ts';
import { runAt, type Step } from './crm-runs.ts';
import type { DealSettings } from './crm-settings.ts';
import { customFieldKeys, type PipedriveObject, pipedriveRecord } from './pipedrive-records.ts';
import { CursorExpiredError, type SyncContext, type SyncPage } from './sync.ts';
import { listOf, objectOf, textOf } from './values.ts';

// The address of all accounts; a token tells which account it is for.
const base = 'https://api.pipedrive.com/api/v2';
const pageSize = 100;
const keysMax = 15;

/** Reads the next objects: all of them in the first run, later those that changed, with deals that were deleted. */
export async function readPipedrive(
  context: SyncContext,
  settings: DealSettings & { objects: readonly PipedriveObject[] },
): Promise<SyncPage> {
  const { step, after, next } = runAt(context.cursor, settings.objects, { hasDeleted: false });
  const query = queryOf(step, { after, keys: customFieldKeys(step.object, context.fieldMappings) });
  // https://developers.pipedrive.com/docs/api/v1/Deals#getDeals, Persons#getPersons and Organizations#getOrganizations
  const { body } = await context.call({ url: `${base}/${step.object}?${query}` }).catch((error: unknown) => {
    // The first page had the same parameters without the cursor.
    if (after !== null && error instanceof CallError && error.failure === 'status_400') throw new CursorExpiredError();
    throw error;
  });
  const { data, additional_data: more } = objectOf(body);
  if (!Array.isArray(data)) throw new CallError('provider_unavailable');
  const following = textOf(objectOf(more)['next_cursor'], 1_000) || null;
  // A system that repeats a page would never end.
  if (following !== null && following === after) throw new CallError('provider_unavailable');
  const records = listOf(data, pageSize).flatMap((one) => pipedriveRecord(step.object, one, settings) ?? []);
  return { records, ...next(following) };
}

function queryOf(
  { object, since }: Step<PipedriveObject>,
  { after, keys }: { after: string | null; keys: string[] },
): URLSearchParams {
  return new URLSearchParams({
    limit: String(pageSize),
    // Objects that change meanwhile keep their place in this order.
    sort_by: 'id',
    sort_direction: 'asc',
    // Without milliseconds, as the documentation shows it.
    ...(since && { updated_since: since.toISOString().replace(/\.\d+Z$/, 'Z') }),
    // Deleted deals are listed for 30 days; other deleted objects are not listed.
    ...(since && object === 'deals' && { status: 'open,won,lost,deleted' }),
    // Fewer custom fields make the response smaller. All of them are returned without the parameter.
    ...(keys.length > 0 && keys.length <= keysMax && { custom_fields: keys.join(',') }),
    ...(after !== null && { cursor: after }),
  });
}
