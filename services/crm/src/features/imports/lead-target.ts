import { leads } from '@tandem/crm-contract';
import type { IdCodec } from '@tandem/ids';
import type { Peers } from '../../handler.ts';
import type { ImportTarget, RowContext, Texts } from './target.ts';
import { customFieldsOf, listOf, putNumber, splitName } from './texts.ts';
import { undoLeads } from './undo-leads.ts';
import { findUsers, putUser, type References, userErrors } from './users.ts';
import { type Body, writeLeads } from './write-leads.ts';

const fields = {
  email: ['e-mail', 'mail', 'email address', 'e-mail-adresse', 'mailadresse', 'work email', 'business email'],
  firstName: ['first name', 'given name', 'forename', 'vorname', 'rufname'],
  lastName: ['last name', 'surname', 'family name', 'nachname', 'familienname', 'zuname'],
  fullName: ['name', 'full name', 'contact', 'contact name', 'vollständiger name', 'ansprechpartner', 'kontakt'],
  phone: [
    'telephone',
    'phone number',
    'mobile',
    'mobile phone',
    'cell',
    'telefon',
    'telefonnummer',
    'handy',
    'mobil',
    'tel',
    'rufnummer',
  ],
  source: ['lead source', 'quelle', 'herkunft', 'leadquelle'],
  status: ['lead status', 'state'],
  score: ['lead score', 'punkte', 'bewertung'],
  assignedTo: ['owner', 'owner id', 'assigned to', 'assignee', 'zuständig', 'besitzer', 'bearbeiter'],
  tags: ['tag', 'labels', 'label', 'schlagworte', 'schlagwörter', 'stichworte'],
  externalId: ['external id', 'id', 'lead id', 'customer number', 'kundennummer', 'externe id', 'crm id', 'nummer'],
  referralCode: ['referral code', 'referral', 'empfehlungscode'],
  customFields: [],
} as const;

/** How leads are imported, by the rules of createLead. */
export const leadTarget = (peers: Peers, ids: IdCodec): ImportTarget<Body, References> => ({
  type: 'lead',
  row: leads.createLead,
  fields,
  dedupe: { by: ['email', 'externalId', 'phone'], usual: { by: 'email', action: 'skip' } },
  toBody: (texts, context) => toBody(texts, { ...context, ids }),
  findReferences: (records, caller) => findUsers(peers, { records, caller, field: 'assignedTo' }),
  referenceErrors: ({ assignedTo }, references) => userErrors('assignedTo', assignedTo, references),
  write: writeLeads,
  undo: undoLeads,
});

function toBody(
  texts: Texts,
  { ids, tenantId, definitions, errors }: RowContext & { ids: IdCodec },
): Record<string, unknown> {
  const { fullName, score, tags, assignedTo, source, status, ...others } = texts;
  const plain = Object.entries(others).filter(([field]) => !field.startsWith('customFields.'));
  const body: Record<string, unknown> = { ...(fullName && splitName(fullName)), ...Object.fromEntries(plain) };
  putNumber(body, texts, 'score', errors);
  if (tags) body['tags'] = listOf(tags);
  if (source) body['source'] = source.toLowerCase();
  if (status) body['status'] = status.toLowerCase();
  const customFields = customFieldsOf(texts, definitions);
  if (customFields) body['customFields'] = customFields;
  putUser(body, texts, 'assignedTo', { ids, tenantId, errors });
  return body;
}
