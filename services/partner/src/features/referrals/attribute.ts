import type { Emit, Schedule } from '@tandem/events';
import { referralAttributed, type referralSources } from '@tandem/partner-contract';
import { currentLeads } from '@tandem/service';
import type { Referral as ReferralRow } from '../../generated/client.ts';
import type { Tx } from '../../handler.ts';
import { unusable } from '../referral-codes/code.ts';
import { lockUses } from '../referral-codes/lock-uses.ts';
import { scheduleReviews } from '../tiers/schedule-reviews.ts';
import { addConflicts, type Conflict, conflictOf } from './conflict.ts';
import { isUnconfirmed, type Loss, lossOf, windowsOf } from './last-touch.ts';
import { asReferral, type FlagReason, type Judgement, writeReferral } from './referral.ts';

const dayMs = 86_400_000;

/** A lead that a partner refers. */
export interface Touch {
  leadId: number;
  partnerId: number;
  code: string | null;
  clickId: string | null;
  source: (typeof referralSources)[number];
  status: Judgement['status'];
  flagReason: FlagReason | null;
  registeredBy: number | null;
  /** Whether a form that nobody confirmed created the lead. */
  isUnproven?: boolean;
  occurredAt: Date;
  externalId: string | null;
  createdBy: number | null;
  createdAt: Date;
}

export type Outcome = { referral: ReferralRow } | { loss: Loss } | { unusable: string };

interface Inside {
  tx: Tx;
  emit: Emit<typeof referralAttributed>;
  schedule: Schedule;
}

/** What a lead has while touches are compared. */
interface Place {
  leadId: number;
  row: ReferralRow | undefined;
  held: Touch | ReferralRow | undefined;
  lastTouchAt: Date | null;
  isUnproven: boolean;
}

/**
 * Attributes leads to the partners of the last touches, and stores what loses. The leads are locked, and the partners are
 * locked and approved.
 * @param options.wonAt when deals of leads were won that are not stored yet
 * @param options.isDecided whether a person decided the touches, which then also attribute void referrals
 */
export async function attribute(
  inside: Inside,
  touches: readonly Touch[],
  { wonAt = new Map(), isDecided = false }: { wonAt?: ReadonlyMap<number, Date>; isDecided?: boolean } = {},
): Promise<Map<Touch, Outcome>> {
  const { tx } = inside;
  const outcomes = new Map<Touch, Outcome>();
  if (!touches.length) return outcomes;
  const current = await currentLeads(
    tx,
    touches.map(({ leadId }) => leadId),
  );
  const leadOf = ({ leadId }: Touch) => current.get(leadId) ?? leadId;
  const leadIds = [...new Set(touches.map(leadOf))];
  const places = await readPlaces(tx, leadIds);
  const won = await readWon(tx, leadIds);
  const registered = await readRegistered(tx, leadIds);
  const codes = await lockUses(
    tx,
    touches.flatMap(({ code }) => code ?? []),
  );
  const daysOf = await windowsOf(
    tx,
    touches.map(({ partnerId }) => partnerId),
  );
  const now = Date.now();
  const conflicts: Conflict[] = [];
  const winners = new Map<Place, Touch>();
  for (const touch of touches.toSorted((one, other) => one.occurredAt.getTime() - other.occurredAt.getTime())) {
    const place = places.get(leadOf(touch)) as Place;
    const { held, leadId } = place;
    if (touch.registeredBy !== null && !isDecided && held?.partnerId !== touch.partnerId) {
      outcomes.set(touch, { loss: 'deal_registered' });
      const winner = touch.registeredBy;
      conflicts.push(conflictOf(leadId, touch, { winner, cause: 'deal_registered', externalId: null }));
      continue;
    }
    const wonBefore = wonAt.get(touch.leadId);
    const isWon = won.has(leadId) || (wonBefore !== undefined && wonBefore <= touch.occurredAt);
    const holder = held && { voidedAt: null, clearedAt: null, ...held, lastTouchAt: place.lastTouchAt };
    const since = new Date(now - daysOf(touch.partnerId) * dayMs);
    const isRegistered = holder?.partnerId === registered.get(leadId);
    const loss = holder && lossOf(holder, touch, { since, isWon, isRegistered, isDecided });
    const code = touch.code === null ? undefined : codes.get(touch.code);
    const reason = code && unusable(code.row, code.uses, touch.occurredAt);
    // The lead of a repeated touch may be the last one that the code could attribute.
    if (reason && loss !== 'same_partner') {
      outcomes.set(touch, { unusable: reason });
      continue;
    }
    if (loss) {
      outcomes.set(touch, { loss });
      if (loss === 'same_partner') noteTouch(place, touch, holder);
      else if (loss !== 'void')
        conflicts.push(conflictOf(leadId, touch, { winner: holder.partnerId, cause: loss, externalId: null }));
      continue;
    }
    if (code && !isUnconfirmed(touch)) code.uses++;
    if (held && held.status !== 'void') {
      const { externalId } = held;
      const cause = isUnconfirmed(held) ? 'unconfirmed_form' : 'later_touch';
      if (held.partnerId !== touch.partnerId)
        conflicts.push(conflictOf(leadId, held, { winner: touch.partnerId, cause, externalId }));
      const before = held.code === null ? undefined : codes.get(held.code);
      if (before && !isUnconfirmed(held)) before.uses--;
    }
    Object.assign(place, { held: touch, lastTouchAt: null, isUnproven: touch.isUnproven ?? false });
    winners.set(place, touch);
  }
  await addConflicts(tx, conflicts);
  const stored = await store(inside, [...places.values()], winners);
  for (const [place, touch] of winners) {
    const referral = stored.get(place.leadId);
    if (referral) outcomes.set(touch, { referral });
  }
  return outcomes;
}

/** Notes another touch of the partner that has the lead. */
function noteTouch(place: Place, touch: Touch, held: Pick<ReferralRow, 'source' | 'occurredAt'>): void {
  if (touch.isUnproven) place.isUnproven = held.source === 'form';
  else if (touch.source === 'link' || touch.source === 'manual') place.isUnproven = false;
  const isLater = touch.occurredAt > (place.lastTouchAt ?? held.occurredAt);
  if (isLater && touch.flagReason !== 'unconfirmed_form') place.lastTouchAt = touch.occurredAt;
}

async function readPlaces(tx: Tx, leadIds: number[]): Promise<Map<number, Place>> {
  const rows = await tx.referral.findMany({ where: { leadId: { in: leadIds } } });
  const byLead = new Map(rows.map((row) => [row.leadId, row]));
  return new Map(
    leadIds.map((leadId) => {
      const row = byLead.get(leadId);
      const { lastTouchAt = null, isUnproven = false } = row ?? {};
      return [leadId, { leadId, row, held: row, lastTouchAt, isUnproven }];
    }),
  );
}

/** The leads with a won deal. */
async function readWon(tx: Tx, leadIds: number[]): Promise<Set<number>> {
  const rows = await tx.sql<{ id: number }>`
    SELECT lead_id AS id FROM deal WHERE lead_id = ANY(${leadIds}::bigint[]) AND won_at IS NOT NULL
    UNION SELECT lead_id FROM uncredited_deal WHERE lead_id = ANY(${leadIds}::bigint[])`;
  return new Set(rows.map(({ id }) => id));
}

/** The partners whose protected registrations these leads, or leads that were merged into them, come from, by lead. */
async function readRegistered(tx: Tx, leadIds: number[]): Promise<Map<number, number>> {
  const merged = await tx.mergedLead.findMany({ where: { mergedIntoId: { in: leadIds } }, select: { leadId: true } });
  const origins = merged.map(({ leadId }) => leadId);
  const current = await currentLeads(tx, origins);
  const rows = await tx.sql<{ leadId: number; partnerId: number }>`
    SELECT lead_id AS "leadId", partner_id AS "partnerId" FROM deal_registration
    WHERE lead_id = ANY(${[...leadIds, ...origins]}::bigint[]) AND status = 'converted' AND protected_until > now()
      AND partner_id NOT IN (SELECT id FROM partner WHERE status = 'terminated')`;
  return new Map(rows.map(({ leadId, partnerId }) => [current.get(leadId) ?? leadId, partnerId]));
}

/** Stores the last winner of each lead, and the last touches of partners who keep theirs. */
async function store(
  { tx, emit, schedule }: Inside,
  places: readonly Place[],
  winners: ReadonlyMap<Place, Touch>,
): Promise<Map<number, ReferralRow>> {
  const stored = new Map<number, ReferralRow>();
  const added = places.flatMap((place) => {
    const touch = place.row ? undefined : winners.get(place);
    if (!touch) return [];
    const { registeredBy: _, ...columns } = touch;
    return [{ ...columns, lastTouchAt: place.lastTouchAt, isUnproven: place.isUnproven }];
  });
  const rows = added.length ? await tx.referral.createManyAndReturn({ data: added, skipDuplicates: true }) : [];
  for (const row of rows) {
    stored.set(row.leadId, row);
    const { id: referralId, partnerId, leadId } = row;
    emit(referralAttributed, { data: { referralId, partnerId, leadId }, record: asReferral(row) });
  }
  const losers: number[] = [];
  for (const place of places) {
    const { row, leadId, lastTouchAt, isUnproven } = place;
    if (!row) continue;
    const touch = winners.get(place);
    if (touch) {
      const moved = await moveReferral(tx, row, { ...touch, leadId, lastTouchAt, isUnproven, origin: touch.leadId });
      stored.set(leadId, moved);
      losers.push(row.partnerId);
      const { id: referralId, partnerId } = moved;
      const changes = {
        ...(row.partnerId !== partnerId && { partnerId: { from: row.partnerId, to: partnerId } }),
        ...(row.status !== moved.status && { status: { from: row.status, to: moved.status } }),
      };
      emit(referralAttributed, { data: { referralId, partnerId, leadId }, record: asReferral(moved), changes });
    } else if (lastTouchAt?.getTime() !== row.lastTouchAt?.getTime() || isUnproven !== row.isUnproven)
      // Callers do not see it, so it is no new version.
      await tx.sql`UPDATE referral SET last_touch_at = ${lastTouchAt}, is_unproven = ${isUnproven} WHERE id = ${row.id}`;
  }
  // The event leads to an evaluation of the partner who has the lead now.
  await scheduleReviews({ tx, schedule }, losers);
  return stored;
}

function moveReferral(
  tx: Tx,
  { id }: ReferralRow,
  { origin, createdAt: _, registeredBy: __, ...touch }: Touch & { lastTouchAt: Date | null; origin: number },
): Promise<ReferralRow> {
  return writeReferral(tx, id, {
    ...touch,
    mergedFromLeadId: origin === touch.leadId ? null : origin,
    voidReason: null,
    voidedAt: null,
    clearedAt: null,
    moves: { increment: 1 },
  });
}
