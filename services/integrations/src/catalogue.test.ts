import * as agents from '@tandem/agents-contract';
import * as analytics from '@tandem/analytics-contract';
import * as campaign from '@tandem/campaign-contract';
import type { EventDef } from '@tandem/contract';
import { isIdUnion, unionNumber, walkIds } from '@tandem/contract';
import * as crm from '@tandem/crm-contract';
import * as files from '@tandem/files-contract';
import * as identity from '@tandem/identity-contract';
import { createIdCodec } from '@tandem/ids';
import * as integrations from '@tandem/integrations-contract';
import * as partner from '@tandem/partner-contract';
import * as training from '@tandem/training-contract';
import { z } from 'zod';
import { catalogued, exampleEnvelope, firstEvent, isSubscribable, matches, publicData } from './catalogue.ts';

const ids = createIdCodec(process.env['IDS_ALPHABET'] as string);
const declared = [crm, partner, campaign, training, files, agents, identity, integrations, analytics].flatMap(
  (contract) => Object.values(contract) as unknown[],
);
const isEvent = (value: unknown): value is EventDef =>
  typeof value === 'object' && value !== null && 'action' in value && 'target' in value;

it('contains every event of the contracts that has a group', () => {
  const grouped = declared.filter(isEvent).filter(({ group }) => group !== undefined);
  expect(new Set(catalogued.map(({ name }) => name))).toEqual(new Set(grouped.map(({ name }) => name)));
});

it.each(catalogued.map((event) => [event.name, event] as const))(
  'has an example for %s that matches its schema',
  (_, event) => {
    const { data } = event as EventDef;
    const { sequence, ...shown } = exampleEnvelope(event.name).data;
    expect(sequence).toBeGreaterThan(0);
    const example: Record<string, unknown> = structuredClone(shown);
    // Examples contain public codes; the internal format has numeric ids.
    for (const { path, type } of walkIds(data)) {
      const [field, inner] = path as [string, string | undefined];
      const holder = inner === undefined ? example : ((example[field] ?? {}) as Record<string, unknown>);
      const name = inner ?? field;
      if (holder[name] !== undefined && holder[name] !== null) {
        expect(holder[name]).toMatch(/^[A-Za-z0-9]{16,17}$/);
        holder[name] = isIdUnion(type) ? String(unionNumber(type, 'user', 1)) : '1';
      }
    }
    const decoded = z.decode(data, example as never);
    expect(Object.keys(publicData(event.name, decoded, { ids, tenantId: 1 }) as object)).toEqual(Object.keys(example));
  },
);

it.each([
  [['lead.created'], 'lead.created', true],
  [['lead.created'], 'lead.updated', false],
  [['lead.*'], 'lead.updated', true],
  [['lead.*'], 'opportunity.won', false],
  [['task.created', '*'], 'form.submitted', true],
  [['training.*'], 'training.course.published', true],
  [['training.course.*'], 'training.enrollment.created', false],
  [['*'], 'training.course.published', false],
  [['*', 'file.*'], 'file.uploaded', true],
  [[], 'lead.created', false],
] as const)('%j covers %s: %s', (patterns, event, covered) => {
  expect(matches(patterns, event)).toBe(covered);
});

it('accepts only event names, prefixes and * as subscriptions', () => {
  for (const pattern of ['*', 'lead.*', 'commission.*', 'form.submitted', 'training.*', 'training.course.*'])
    expect(isSubscribable(pattern)).toBe(true);
  for (const pattern of [
    '',
    '**',
    '.*',
    'lead',
    'lead.',
    'lead.c*',
    '*.created',
    'webhook.updated',
    'training.c*',
    'training.module.*',
  ])
    expect(isSubscribable(pattern)).toBe(false);
  expect([firstEvent(['*']), firstEvent(['task.completed', 'partner.*'])]).toEqual([
    'lead.created',
    'partner.registered',
  ]);
});
