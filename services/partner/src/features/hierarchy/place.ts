import { idInText, unknownId } from '@tandem/contract';
import { hierarchyLevelsMax, type ParentRefusal } from '@tandem/partner-contract';
import { type ApiError, fail, failField } from '@tandem/service';
import { lockNamed } from '@tandem/tenant-db';
import type { z } from 'zod';
import type { Partner as PartnerRow } from '../../generated/client.ts';
import type { Tx } from '../../handler.ts';
import { asPartner, type PartnerRecord } from '../partners/partner.ts';

type Refusal = z.output<typeof ParentRefusal>;

const field = 'parentPartnerId';

/**
 * Lets changes of parents run one after the other: two of them could each be right and form a cycle together. Taken before
 * partners are locked, so that two changes cannot wait for each other.
 */
export async function lockHierarchy(tx: Tx): Promise<void> {
  await lockNamed(tx, 'partner hierarchy');
}

/** A partner and the parent that it shall get, both locked. */
export interface Place {
  partner: PartnerRecord;
  /** Undefined if there is none with the id; null for no parent. */
  parent: PartnerRecord | null | undefined;
}

/** Locks a partner and its new parent, in the order of ids; undefined without the partner. Under `lockHierarchy`. */
export async function lockPlace(tx: Tx, partnerId: number, parentId: number | null): Promise<Place | undefined> {
  const ids = [...new Set([partnerId, parentId ?? partnerId])].sort((one, other) => one - other);
  const rows: (PartnerRow | null)[] = [];
  for (const id of ids) rows.push(await tx.partner.lockFirst({ where: { id }, sharesKey: true }));
  const find = (id: number) => {
    const row = rows.find((one) => one?.id === id);
    return row ? asPartner(row) : undefined;
  };
  const partner = find(partnerId);
  return partner ? { partner, parent: parentId === null ? null : find(parentId) } : undefined;
}

/** Why a partner cannot get the parent; undefined if it can. Under `lockHierarchy`, with the locked parent. */
export async function refusalOf(tx: Tx, { partner, parent }: Place): Promise<Refusal | undefined> {
  if (parent === null) return undefined;
  if (!parent) return 'parent_missing';
  if (parent.id === partner.id) return 'parent_cycle';
  if (parent.status !== 'approved') return 'parent_not_approved';
  const above = await idsAbove(tx, parent.id);
  if (above.includes(partner.id)) return 'parent_cycle';
  return above.length + 1 + (await levelsBelow(tx, partner.id)) > hierarchyLevelsMax ? 'too_many_levels' : undefined;
}

/** The error of a request for a parent that is refused. */
export function refusedParent(refusal: Refusal, { partner, parent }: Place): ApiError {
  switch (refusal) {
    case 'parent_missing':
      return failField(field, unknownId('partner'));
    case 'too_many_levels':
      return tooManyLevels();
    case 'parent_not_approved':
      return notApproved(parent?.status ?? 'pending');
    case 'parent_cycle': {
      const other = `the partner ${idInText('partner', partner.id)}`;
      return fail('parent_cycle', [{ field, message: `Must not be ${other} or a partner below it` }]);
    }
  }
}

/**
 * Checks the parent of a new partner, under `lockHierarchy`, and locks it against a change of its status.
 * @param named the field of the request that names the parent
 * @throws ApiError 422 for an unknown parent or too many levels, 409 for a parent that is not approved
 */
export async function checkFirstParent(tx: Tx, parentId: number, named = field): Promise<void> {
  await tx.sql`SELECT id FROM partner WHERE id = ${parentId} FOR SHARE`;
  const parent = await tx.partner.findFirst({ where: { id: parentId }, select: { status: true } });
  if (!parent) throw failField(named, unknownId('partner'));
  if (parent.status !== 'approved') throw notApproved(parent.status);
  if ((await idsAbove(tx, parentId)).length + 1 > hierarchyLevelsMax) throw tooManyLevels(named);
}

function notApproved(status: string): ApiError {
  const message = `The partner is ${status}; send the id of an approved partner`;
  return fail('parent_not_approved', [{ field, message }]);
}

function tooManyLevels(named = field): ApiError {
  return failField(named, `Must leave at most ${hierarchyLevelsMax} partners above each partner`);
}

/** The partners above another one. Ends at the limit, beyond which the place is refused anyway. */
async function idsAbove(tx: Tx, id: number): Promise<number[]> {
  const rows = await tx.sql<{ id: number }>`
    WITH RECURSIVE above (id, level) AS (
      SELECT parent_partner_id, 1 FROM partner WHERE id = ${id} AND parent_partner_id IS NOT NULL
      UNION ALL
      SELECT partner.parent_partner_id, level + 1 FROM above JOIN partner ON partner.id = above.id
      WHERE level <= ${hierarchyLevelsMax}::int AND partner.parent_partner_id IS NOT NULL)
    SELECT id FROM above`;
  return rows.map((row) => row.id);
}

/** The number of levels below a partner, as far as the limit. */
async function levelsBelow(tx: Tx, id: number): Promise<number> {
  const [row] = await tx.sql<{ levels: number }>`
    WITH RECURSIVE below (id, level) AS (
      SELECT id, 1 FROM partner WHERE parent_partner_id = ${id}
      UNION ALL
      SELECT partner.id, level + 1 FROM below JOIN partner ON partner.parent_partner_id = below.id
      WHERE level <= ${hierarchyLevelsMax}::int)
    SELECT coalesce(max(level), 0)::int AS levels FROM below`;
  return row?.levels ?? 0;
}
