import { ServiceCallError } from '@tandem/client/internal';
import type { ResourceType } from '@tandem/contract';
import { ZodError } from 'zod';
import type { ExternalRecord } from '../../connectors/sync.ts';
import type { Tools } from '../../handler.ts';
import type { As } from './acting-user.ts';
import { hashOf, hashOfRecord, type LinkRow, linkKey, referencesOf } from './link.ts';
import type { Outcome } from './target.ts';
import { targetOf } from './targets.ts';
import { isTemporary } from './writing.ts';

const reasonMax = 500;

/** The outcome for one record of a page. */
export interface Written extends Omit<Outcome, 'action'> {
  record: ExternalRecord;
  action: Outcome['action'] | 'failed';
  hash: string;
  /** Whether a repetition can write more of the record: a field, a reference, or an update of it was left out. */
  isPartial: boolean;
}

interface Page {
  connectionId: number;
  records: readonly ExternalRecord[];
  links: ReadonlyMap<string, LinkRow>;
  as: As;
  updateExisting: boolean;
  isPushed: boolean;
  /** Stores the link of a record right after it was written, before the next one. */
  link(written: Written): Promise<unknown>;
  settings: Record<string, unknown>;
}

/**
 * Writes the records of a page to the services that own them, in their order, because later ones refer to earlier ones.
 * A record that is refused does not stop the others.
 * @throws ServiceCallError while a service is unreachable; a repetition has the same effects
 */
export async function writePage(tools: Pick<Tools, 'crm' | 'campaign' | 'ids'>, page: Page): Promise<Written[]> {
  const { connectionId, links, as } = page;
  const written: Written[] = [];
  const linkedIds = new Map([...links].map(([key, { recordId }]) => [key, recordId]));
  for (const record of page.records) {
    const { kind, id } = record;
    const key = linkKey(kind, id);
    const link = links.get(key);
    const hash = hashOfRecord(record);
    const target = targetOf(kind);
    const context = {
      ...{
        crm: tools.crm,
        campaign: tools.campaign,
        as,
        updateExisting: page.updateExisting,
        isPushed: page.isPushed,
        settings: page.settings,
      },
      key: hashOf(['sync', connectionId, kind, id]),
      resolve: (of: string, externalId: string) => linkedIds.get(linkKey(of, externalId)),
      idOf: (type: ResourceType, publicId: string) =>
        as.tenantId === undefined ? undefined : tools.ids.decode(type, as.tenantId, publicId),
      seenHash: link?.recordHash ?? null,
    };
    const outcome =
      link?.hash === hash
        ? ({ action: 'unchanged' } as const)
        : await write(target, context, record, linkedIds.get(key) ?? copiedFrom(tools, as, record));
    if ('recordId' in outcome && outcome.recordId !== undefined) linkedIds.set(key, outcome.recordId);
    const isUnresolved = referencesOf(record).some((ref) => !linkedIds.has(linkKey(ref.kind, ref.id)));
    const isLeftOut = 'reason' in outcome || (outcome.action === 'unchanged' && !page.updateExisting);
    const one: Written = { record, hash, ...outcome, isPartial: isUnresolved || isLeftOut };
    if (one.recordId !== undefined) await page.link(one);
    written.push(one);
  }
  return written;
}

/** The event of the platform that a record is a copy of, if its link got lost. */
function copiedFrom({ ids }: Pick<Tools, 'ids'>, { tenantId }: As, record: ExternalRecord): number | undefined {
  if (record.kind !== 'calendar_event' || !record.copyOf || tenantId === undefined) return undefined;
  return ids.decode('calendar_event', tenantId, record.copyOf);
}

async function write(
  target: ReturnType<typeof targetOf>,
  context: Parameters<typeof target.write>[0],
  record: ExternalRecord,
  linkedId: number | undefined,
): Promise<Omit<Written, 'record' | 'hash' | 'isPartial'>> {
  const [error] = record.isDeleted ? [] : target.check(record);
  if (error) return { action: 'failed', reason: `${error.field}: ${error.message}`.slice(0, reasonMax) };
  try {
    return await target.write(context, record, linkedId);
  } catch (cause) {
    if (cause instanceof ZodError) return { action: 'failed', reason: reasonOfIssue(cause) };
    if (!(cause instanceof ServiceCallError) || isTemporary(cause)) throw cause;
    return { action: 'failed', reason: cause.code ?? `status_${cause.status}` };
  }
}

/** The first field of a request that its contract refuses. */
function reasonOfIssue({ issues: [issue] }: ZodError): string {
  return `${issue?.path.join('.')}: ${issue?.message}`.slice(0, reasonMax);
}
