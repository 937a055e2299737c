import type { FieldError } from '@tandem/contract';
import { type Lead, unknownNames } from '@tandem/crm-contract';
import type { z } from 'zod';
import { bodies } from '../map-fields.ts';
import { type Outcome, type RecordOf, recordDeleted, type Target, type TargetContext } from '../target.ts';
import {
  changesOf,
  changing,
  deletedAtSource,
  invalid,
  limitedTo,
  maySee,
  readBody,
  reasonOf,
  without,
  withoutRefused,
} from '../writing.ts';

type Body = z.output<typeof bodies.lead>;
type Found = z.output<typeof Lead>;

const noEmail = { field: 'email', message: 'Is required: a contact without an address is skipped' };

export const leadTarget: Target<'lead'> = {
  kind: 'lead',
  permissions: ['leads:read', 'leads:write'],
  check: ({ fields }) => (fields.email ? readBody(bodies.lead, fields).errors : []),
  warnings: ({ fields }) => (fields.email ? readBody(bodies.lead, fields).leftOut : [noEmail]),
  async write(context, record, linkedId) {
    if (record.isDeleted) return deletedAtSource(linkedId);
    // A lead needs an address, which contacts of other systems often lack.
    if (!record.fields.email) return { action: 'skipped', reason: 'no_email' };
    const { body, leftOut, errors } = readBody(bodies.lead, record.fields);
    if (!body) return invalid(errors);
    const found = { body: { ...body, ...accountOf(context, record) }, leftOut };
    const outcome = linkedId === undefined ? undefined : await update(context, linkedId, found);
    if (outcome && outcome.reason !== recordDeleted) return outcome;
    // Also for a lead that was merged: the one that remains has its address.
    const other = await find(context, body);
    if (other) return update(context, other.id, found);
    return outcome ?? create(context, found);
  },
};

interface Given {
  body: Body;
  leftOut: FieldError[];
}

/** The imported company of the contact. Without it, crm finds the account by the domain of the address. */
function accountOf(context: TargetContext, { accountRef }: RecordOf<'lead'>): { accountId?: number } {
  if (!accountRef || !maySee(context, 'accounts:read')) return {};
  const accountId = context.resolve('account', accountRef);
  return accountId === undefined ? {} : { accountId };
}

/** The lead with the id of the connected system, or else the oldest one with the address. */
async function find({ crm, as }: TargetContext, { externalId, email }: Body): Promise<Found | undefined> {
  const query = { page: 1, limit: 1, sort: '-createdAt' };
  const [known] = externalId ? await crm.listLeads({ query: { ...query, externalId }, as }) : [];
  return known ?? (await crm.findLeadsByEmail({ body: { email }, as: limitedTo('leads:write', as) }))[0];
}

async function create({ crm, as, key }: TargetContext, { body, leftOut }: Given): Promise<Outcome> {
  const { result, leftOut: refused } = await withoutRefused(body, (accepted, attempt) =>
    crm.createLead({ body: accepted, as, idempotencyKey: `${key}:${attempt}` }),
  );
  return { action: 'created', recordId: result.id, ...reasonOf([...leftOut, ...refused]) };
}

function update({ crm, as, updateExisting }: TargetContext, id: number, { body, leftOut }: Given): Promise<Outcome> {
  return changing(
    async () => (await crm.readLeads({ body: { ids: [id] }, as: limitedTo('leads:write', as) }))[0],
    async (current) => {
      if (!updateExisting) return { action: 'unchanged', recordId: id };
      const changes = changesOf(current, wantedOf(current, body), ['customFields']);
      if (!Object.keys(changes).length) return { action: 'unchanged', recordId: id, ...reasonOf(leftOut) };
      const { leftOut: refused } = await withoutRefused(changes, (accepted) =>
        crm.updateLead({ params: { id }, body: accepted, as, ifVersion: current.version }),
      );
      return { action: 'updated', recordId: id, ...reasonOf([...leftOut, ...refused]) };
    },
  );
}

/** The fields that an existing lead gets: it keeps its source, an external id of its own, and names that are unknown there. */
function wantedOf(current: Found, body: Body): Partial<Body> {
  const unknown = unknownNames(body);
  const hasNoLastName = body.lastName === unknown.lastName;
  const hasNoFirstName = hasNoLastName && body.firstName === unknown.firstName;
  return without(
    body,
    'source',
    ...(current.externalId === null ? [] : ['externalId']),
    ...(hasNoLastName ? ['lastName'] : []),
    ...(hasNoFirstName ? ['firstName'] : []),
  );
}
