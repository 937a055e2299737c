import type { internalRebuilds } from '@tandem/analytics-contract';
import { fail } from '@tandem/service';
import type { Handler, Peers, Tx } from '../../handler.ts';
import { addCounts, type Count, holdCounting } from '../counting/index.ts';
import { setTimezone } from '../counting/on-tenant-changed.ts';
import { countEvents, type StoredEvent } from '../events/count-events.ts';
import { noteTouches } from '../events/first-touch.ts';
import type { FactKind } from '../facts/fact.ts';
import { factKinds } from '../facts/index.ts';
import { addLeadVersions, leadVersionOf } from '../facts/lead-versions.ts';
import { addRecordedSteps } from '../facts/steps.ts';
import { removeFacts, writeFacts } from '../facts/write-facts.ts';
import { type RecordPage, readRecords } from './read-records.ts';
import { rebuildSums } from './rebuild-sums.ts';

const eventsMax = 2_000;
const goneMax = 1_000;
// A newer record may be in events before it is in a page that was read earlier.
const newMinutes = 10;

/** What was read before the transaction. */
interface Found {
  page?: RecordPage;
  settings?: { timezone: string; version?: number | undefined };
}

/**
 * Rebuilds one page of facts. Events may be handled at the same time: the newer version wins, from an event or a record, and the
 * sums change by the difference between the facts. A fact whose record is not in the page any more is removed.
 */
export const rebuildCounts = (peers: Peers): Handler<typeof internalRebuilds.rebuildCounts, Found> => ({
  check: async ({ body: { part, after }, caller }) => {
    if (caller.tenantId === undefined) throw fail('not_found');
    if (part === 'events' || part === 'sums') return {};
    if (part !== 'settings') return { page: await readRecords(peers, part, { after, caller }) };
    return { settings: await peers.identity.readTenantSettings({ as: caller }) };
  },
  run: async ({ body: { part, after }, found: { page, settings }, tx, schedule }) => {
    if (settings) {
      const { timezone, version = 0 } = settings;
      await setTimezone(tx, { timezone, version }, schedule);
      return { read: 1, written: 0, removed: 0, next: null };
    }
    if (part === 'sums') return rebuildSums(tx, after);
    if (!page) return countUncounted(tx, after);
    return rebuildFacts(tx, factKinds.find(({ type }) => type === part) as FactKind, { page, after });
  },
});

async function rebuildFacts(
  tx: Tx,
  kind: FactKind,
  { page: { records, next }, after }: { page: RecordPage; after: number | null },
) {
  const counting = await holdCounting(tx);
  const versions = records.map(({ record, isDeleted }) => ({
    ...{ id: record.id, version: record.version, isDeleted, fact: kind.read(record) },
  }));
  const counts = await writeFacts(tx, kind, versions, { counting, sameVersion: true });
  const page = { ids: versions.map(({ id }) => id), after: after ?? 0, until: next };
  const [gone, removed]: [number[], Count[]] = [[], []];
  for (let found = goneMax; found === goneMax; ) {
    const ids = await factsWithout(tx, kind, page);
    removed.push(...(await removeFacts(tx, kind, { ids, counting })));
    gone.push(...ids);
    found = ids.length;
  }
  await addRecordedSteps(
    tx,
    records.flatMap(({ steps }) => steps),
  );
  if (kind.type === 'lead')
    await addLeadVersions(
      tx,
      records.map(({ record }) => leadVersionOf(record as never)),
    );
  await addCounts(tx, [...counts, ...removed]);
  return { read: records.length, written: versions.length, removed: gone.length, next };
}

/** Facts between two ids whose records are not among these. */
async function factsWithout(
  tx: Tx,
  { table }: FactKind,
  { ids, after, until }: { ids: number[]; after: number; until: number | null },
): Promise<number[]> {
  const rows = await tx.sql<{ id: number }>`
    SELECT id FROM ${table} WHERE id > ${after}::bigint AND (${until}::bigint IS NULL OR id <= ${until}::bigint)
      AND id <> ALL(${ids}::bigint[]) AND version >= 0 AND created_at < now() - make_interval(mins => ${newMinutes}::int)
    LIMIT ${goneMax}::int`;
  return rows.map(({ id }) => id);
}

/** Counts events that the release before stored, a page in the order of their ids. */
async function countUncounted(tx: Tx, after: number | null) {
  const counting = await holdCounting(tx);
  const events = await tx.sql<StoredEvent & { leadId: number | null }>`
    UPDATE engagement_event SET is_counted = true, is_first = coalesce(is_first, false)
    WHERE is_counted IS NULL AND id IN (
      SELECT id FROM engagement_event WHERE id > ${after ?? 0}::bigint AND is_counted IS NULL ORDER BY id LIMIT ${eventsMax}::int)
    RETURNING id, type, lead_id AS "leadId", timestamp, automated, is_first AS "isFirst", is_opening AS "isOpening", assigned_to AS "assignedTo", team_id AS "teamId"`;
  await noteTouches(tx, events);
  await addCounts(tx, countEvents(events, counting));
  const last = events.reduce((max, { id }) => Math.max(max, id), 0);
  return { read: events.length, written: events.length, removed: 0, next: events.length < eventsMax ? null : last };
}
