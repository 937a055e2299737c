import { orAbsent } from '@tandem/client/internal';
import type { FieldError } from '@tandem/contract';
import { opportunities } from '@tandem/crm-contract';
import type { IdCodec } from '@tandem/ids';
import { asService, fail, reachOf } from '@tandem/service';
import { defaultCurrency } from '../../default-currency.ts';
import type { Peers } from '../../handler.ts';
import type { NewOpportunity } from '../opportunities/new-opportunity.ts';
import { moverRole } from '../pipelines/mover-role.ts';
import { timeOf } from './dates.ts';
import { absentError, absentIds, putId } from './ids-of-rows.ts';
import type { OpportunityReferences } from './new-opportunities.ts';
import { amountOf, customFieldsOf, putNumber } from './parse-cells.ts';
import { decoder, findAccounts, findLeads } from './records-of-rows.ts';
import { putStage } from './stage-of-row.ts';
import type { ImportTarget, Lookup, RowContext, Texts } from './target.ts';
import { undoOpportunities } from './undo-opportunities.ts';
import { findUsers, putUser, userErrors } from './users.ts';
import { wordsOf } from './users-of-rows.ts';
import { writeOpportunities } from './write-opportunities.ts';

const fields = {
  name: ['opportunity', 'opportunity name', 'deal', 'deal name', 'title', 'titel', 'verkaufschance', 'bezeichnung'],
  value: ['amount', 'deal value', 'betrag', 'wert', 'volumen', 'umsatz'],
  currency: ['currency code', 'währung'],
  stage: ['deal stage', 'opportunity stage', 'phase', 'stufe', 'status'],
  pipeline: ['sales pipeline', 'vertriebsprozess'],
  probability: ['win probability', 'wahrscheinlichkeit'],
  forecastCategory: ['forecast', 'forecast category', 'prognose'],
  expectedCloseAt: [
    'close date',
    'expected close',
    'expected close date',
    'closing date',
    'abschluss',
    'abschlussdatum',
  ],
  ownerId: ['owner', 'owner id', 'owner email', 'besitzer', 'zuständig', 'verantwortlich'],
  lead: ['lead id', 'lead email', 'contact email', 'email', 'e-mail', 'kontakt'],
  account: ['account id', 'account name', 'company', 'company name', 'domain', 'firma', 'unternehmen', 'kunde'],
  // Under the names of the fields only: a column `team` or `partner` of another system has names.
  teamId: [],
  partnerId: [],
  notes: ['note', 'description', 'notiz', 'notizen', 'beschreibung', 'bemerkung'],
  customFields: [],
} as const;

/** How opportunities are imported, by the rules of createOpportunity. */
export const opportunityTarget = (peers: Peers, ids: IdCodec): ImportTarget<NewOpportunity, OpportunityReferences> => ({
  type: 'opportunity',
  row: opportunities.createOpportunity,
  fields,
  dedupe: { by: ['name'], usual: { by: 'name', action: 'skip' } },
  userField: 'ownerId',
  checkCaller(caller, named) {
    const mayReadAll = ['leads:read', 'accounts:read'].every((permission) => reachOf(caller, permission) === 'all');
    if (!mayReadAll) throw fail('forbidden');
    if (!named.includes('partnerId') || reachOf(caller, 'partners:read') === 'all') return;
    const message = 'Needs the permission partners:read; leave the column of partnerId out of the mapping';
    throw fail('forbidden', [{ field: 'mapping', message }]);
  },
  async findRelated(tx, texts, tenantId) {
    return {
      leads: await findLeads(tx, wordsOf(texts, 'lead'), decoder(ids, 'lead', tenantId)),
      accounts: await findAccounts(tx, wordsOf(texts, 'account'), decoder(ids, 'account', tenantId)),
    };
  },
  toBody: (texts, context) => toBody(texts, { ...context, ids }),
  async findReferences(records, caller, tx) {
    const as = asService(caller);
    return {
      absentTeams: await absentIds(
        records.map(({ body }) => body.teamId),
        (id) => orAbsent(peers.identity.findTeam({ params: { id }, as })),
      ),
      absentPartners: await absentIds(
        records.map(({ body }) => body.partnerId),
        (id) => orAbsent(peers.partner.findPartner({ params: { id }, as })),
      ),
      users: await findUsers(peers, { records, caller, field: 'ownerId' }),
      currency: await defaultCurrency(peers, caller),
      roleId: await moverRole(peers, tx, caller),
    };
  },
  referenceErrors: ({ ownerId, teamId, partnerId }, { users, absentTeams, absentPartners }) => [
    ...userErrors('ownerId', ownerId, users),
    ...absentError({ id: teamId, field: 'teamId', type: 'team' }, absentTeams),
    ...absentError({ id: partnerId, field: 'partnerId', type: 'partner' }, absentPartners),
  ],
  write: writeOpportunities,
  undo: undoOpportunities,
});

function toBody(texts: Texts, context: RowContext & { ids: IdCodec }): Record<string, unknown> {
  const { name, value, currency, forecastCategory, expectedCloseAt, notes } = texts;
  const { known, defined, errors } = context;
  const body: Record<string, unknown> = { name, ...(notes && { notes }) };
  if (currency) body['currency'] = currency.toUpperCase();
  if (value) putAmount(body, value, errors);
  if (forecastCategory) body['forecastCategory'] = forecastCategory.toLowerCase().replaceAll(/[\s-]+/g, '_');
  if (expectedCloseAt) {
    const date = timeOf(expectedCloseAt, defined.dateOrder);
    if ('error' in date) errors.push({ field: 'expectedCloseAt', message: date.error });
    else body['expectedCloseAt'] = date.time;
  }
  putNumber(body, texts, 'probability', errors);
  putStage(body, texts, context);
  const byAddress = 'Several leads have this e-mail address; write the external id or the id of the lead';
  putRelated(body, { text: texts['lead'], found: known.leads, field: 'lead', errors, several: byAddress });
  const byName = 'Several accounts have this name; write the domain, the external id or the id of the account';
  putRelated(body, { text: texts['account'], found: known.accounts, field: 'account', errors, several: byName });
  putUser(body, texts, 'ownerId', context);
  putId(body, { text: texts['teamId'], field: 'teamId', type: 'team' }, context);
  putId(body, { text: texts['partnerId'], field: 'partnerId', type: 'partner' }, context);
  const customFields = customFieldsOf(texts, context);
  if (customFields) body['customFields'] = customFields;
  return body;
}

/** The value, and the currency that its text names unless the row has one. */
function putAmount(body: Record<string, unknown>, text: string, errors: FieldError[]): void {
  const amount = amountOf(body['currency'] ? text.replaceAll(/\p{Sc}/gu, '') : text);
  if ('error' in amount) errors.push({ field: 'value', message: amount.error });
  else {
    body['value'] = amount.value;
    if (amount.currency && body['currency'] && amount.currency !== body['currency'])
      errors.push({ field: 'value', message: `Names another currency than the column currency, ${body['currency']}` });
    body['currency'] ??= amount.currency;
  }
}

interface Related {
  text: string | undefined;
  found: Lookup;
  field: 'lead' | 'account';
  errors: FieldError[];
  several: string;
}

function putRelated(body: Record<string, unknown>, { text, found, field, errors, several }: Related): void {
  if (!text) return;
  const id = found.get(text);
  const keys = field === 'lead' ? 'e-mail address, external id or id' : 'domain, external id, name or id';
  if (id === undefined) errors.push({ field, message: `No ${field} with this ${keys}; import the ${field} first` });
  else if (id === 'several') errors.push({ field, message: several });
  else body[`${field}Id`] = String(id);
}
