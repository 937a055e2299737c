import { fail, type InTenant } from '@tandem/service';
import type { Tx } from '../../handler.ts';
import type { ClickScope } from './click-buffer.ts';
import { unusable, usesOf } from './code.ts';

/** Where the link of a code leads. */
export interface LinkTarget {
  codeId: number;
  landingUrl: string | null;
  campaignId: number | null;
  expiresAt: Date | null;
}

interface Entry {
  target: Promise<LinkTarget | undefined>;
  readAt: number;
}

// A link that is followed often is read from the database once in this time, and changes of a code take as long.
const cachedMs = 3_000;
const entriesMax = 10_000;

/** Caches the codes of links in the process; the least recently followed one makes room. */
export function linkTargets() {
  const entries = new Map<string, Entry>();

  /** The target of a code that attributes leads; undefined for any other, and 404 for a tenant without partners. */
  return async (scope: ClickScope, code: string, inTenant: InTenant<Tx, never>): Promise<LinkTarget | undefined> => {
    const key = `${scope.tenantId}/${scope.environment}/${code}`;
    let entry = entries.get(key);
    entries.delete(key);
    if (!entry || entry.readAt + cachedMs <= Date.now()) {
      entry = { target: inTenant(scope, ({ tx }) => readTarget(tx, code)), readAt: Date.now() };
      // A failure is not cached.
      entry.target.catch(() => entries.delete(key));
    }
    entries.set(key, entry);
    const [oldest] = entries.keys();
    if (entries.size > entriesMax && oldest !== undefined) entries.delete(oldest);
    const target = await entry.target;
    return target?.expiresAt && target.expiresAt.getTime() <= Date.now() ? undefined : target;
  };
}

async function readTarget(tx: Tx, code: string): Promise<LinkTarget | undefined> {
  const row = await tx.referralCode.findFirst({ where: { code } });
  // A tenant without partners has no links. It may not exist, so identity is not asked for its default page.
  const partner = await tx.partner.findFirst({ where: row ? { id: row.partnerId } : {}, select: { status: true } });
  if (!partner) throw fail('not_found');
  if (!row) return undefined;
  const uses = row.maxUses === null ? 0 : ((await usesOf(tx, [code])).get(code) ?? 0);
  if (partner.status !== 'approved' || unusable(row, uses, new Date())) return undefined;
  const { id: codeId, landingUrl, campaignId, expiresAt } = row;
  return { codeId, landingUrl, campaignId, expiresAt };
}
