import { orAbsent } from '@tandem/client/internal';
import type { FieldError } from '@tandem/contract';
import type { Opportunity } from '@tandem/crm-contract';
import type { z } from 'zod';
import type { Outcome, RecordOf, Target, TargetContext } from '../target.ts';
import {
  changesOf,
  changing,
  deletedAtSource,
  invalid,
  maySee,
  reasonOf,
  without,
  withoutRefused,
} from '../writing.ts';
import { closeDeal } from './close-deal.ts';
import { type DealBody, readDeal } from './read-deal.ts';
import { moveDeal, placeOf } from './stage-of-deal.ts';

type Found = z.output<typeof Opportunity>;

export const opportunityTarget: Target<'opportunity'> = {
  kind: 'opportunity',
  permissions: ['opportunities:read', 'opportunities:write'],
  check: ({ fields }) => readDeal(fields).errors,
  warnings: ({ fields }) => readDeal(fields).leftOut,
  async write(context, record, linkedId) {
    if (record.isDeleted) return deletedAtSource(linkedId);
    const { body, leftOut, errors } = readDeal(record.fields);
    if (!body) return invalid(errors);
    const deal = { record, body: { ...body, ...referencesOf(context, record) }, leftOut };
    return linkedId === undefined ? create(context, deal) : update(context, linkedId, deal);
  },
};

interface Given {
  record: RecordOf<'opportunity'>;
  body: DealBody;
  leftOut: FieldError[];
}

/** The imported records that the deal refers to. References to others are left out. */
function referencesOf(
  context: TargetContext,
  { accountRef, leadRef }: RecordOf<'opportunity'>,
): Pick<DealBody, 'accountId' | 'leadId'> {
  const find = (kind: 'account' | 'lead', ref: string | null | undefined) =>
    ref && maySee(context, `${kind}s:read`) ? context.resolve(kind, ref) : undefined;
  const [accountId, leadId] = [find('account', accountRef), find('lead', leadRef)];
  return { ...(accountId !== undefined && { accountId }), ...(leadId !== undefined && { leadId }) };
}

/** A deal that is closed in the connected system is created and then closed, because new deals are open. */
async function create(context: TargetContext, { record, body, leftOut }: Given): Promise<Outcome> {
  const { crm, as, key } = context;
  const isOpen = record.outcome === 'open';
  const { place, notes } = isOpen ? await placeOf(context, record.fields) : { place: {}, notes: [] };
  const { result, leftOut: refused } = await withoutRefused({ ...body, ...place }, (accepted, attempt) =>
    crm.createOpportunity({ body: accepted, as, idempotencyKey: `${key}:${attempt}` }),
  );
  const closed = isOpen ? { notes: [] } : await closeDeal(context, result, record);
  return { action: 'created', recordId: result.id, ...reasonOf([...leftOut, ...refused, ...notes, ...closed.notes]) };
}

function update(context: TargetContext, id: number, given: Given): Promise<Outcome> {
  const params = { id };
  return changing(
    () => orAbsent(context.crm.getOpportunity({ params, as: context.as })),
    async (current) => {
      if (!context.updateExisting) return { action: 'unchanged', recordId: id };
      const { done, notes } =
        current.status === 'open'
          ? await updateOpen(context, current, given)
          : await updateClosed(context, current, given);
      return { action: done ? 'updated' : 'unchanged', recordId: id, ...reasonOf([...given.leftOut, ...notes]) };
    },
  );
}

interface Updated {
  done: boolean;
  notes: FieldError[];
}

async function updateOpen(context: TargetContext, current: Found, { record, body }: Given): Promise<Updated> {
  // The lead of a deal decides about its conversion, so a deal keeps the one that it has.
  const wanted: Partial<DealBody> = current.leadId === null ? body : without(body, 'leadId');
  const changes = changesOf(current, wanted, ['customFields']);
  const patched = await patch(context, current, changes);
  if (record.outcome !== 'open') {
    const closed = await closeDeal(context, current, record);
    return { done: patched.done || closed.done, notes: [...patched.notes, ...closed.notes] };
  }
  const moved = await moveDeal(context, current, record.fields);
  return { done: patched.done || moved.done, notes: [...patched.notes, ...moved.notes] };
}

/**
 * A closed deal takes few changes. It is not opened again for the connected system, because that would take back the
 * commissions of its partner.
 */
async function updateClosed(context: TargetContext, current: Found, { record, body }: Given): Promise<Updated> {
  const { customFields, notes, ...others } = changesOf(current, body, ['customFields']);
  const changes = { ...(customFields && { customFields }), ...(notes !== undefined && { notes }) };
  const patched = await patch(context, current, changes);
  const isOther = record.outcome !== current.status || Object.keys(others).length > 0;
  const closed = { field: 'status', message: `The deal is ${current.status}; reopen it to change it` };
  return { done: patched.done, notes: [...patched.notes, ...(isOther ? [closed] : [])] };
}

async function patch({ crm, as }: TargetContext, { id, version }: Found, changes: Partial<DealBody>): Promise<Updated> {
  if (!Object.keys(changes).length) return { done: false, notes: [] };
  const { leftOut } = await withoutRefused(changes, (body) =>
    crm.updateOpportunity({ params: { id }, body, as, ifVersion: version }),
  );
  return { done: true, notes: leftOut };
}
