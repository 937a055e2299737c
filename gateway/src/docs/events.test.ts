import { idTypeOf, isPermission } from '@tandem/contract';
import type { z } from 'zod';
import { catalogue, events } from './vocabulary.ts';

// Not audited: high-volume telemetry, which would outnumber the record changes in the audit log; scheduled deliveries
// of notifications, whose creation has an entry; notices to learners, because the events behind them have entries; the
// removal of a tenant, which also removes its audit log; and the steps of an erasure, which name the person:
// lead.complete_erasure is its entry.
const unaudited = [
  'personal_data.erased',
  'personal_data.erasure_requested',
  'tenant.data_removed',
  'tenant.deletion_due',
  'message.engaged',
  'landing_page.visited',
  'workflow.notified',
  'notification.delivered',
  'training.learner.notified',
  'engagement.recorded',
];

it('declares each event once', () => {
  expect(events.length).toBeGreaterThan(50);
  expect(new Set(events.map(({ name }) => name)).size).toBe(events.length);
});

it('excludes telemetry, notifications, the removal of tenants and the steps of erasures from the audit log, and nothing else', () => {
  expect(events.filter(({ audited }) => audited === false).map(({ name }) => name)).toEqual(unaudited);
});

it.each(events.map((event) => [event.name, event] as const))('declares for %s what the audit log needs', (_, event) => {
  const { action, target, description } = event;
  expect(action).toMatch(/^[a-z_]+\.[a-z_]+$/);
  expect(description).not.toBe('');
  const { id } = (event.record as z.ZodObject).shape;
  expect(idTypeOf(id as z.ZodType)).toBe(target);
});

it.each(catalogue.map((event) => [event.name, event] as const))('declares for %s who may receive it', (_, event) => {
  const { readPermission = '' } = event;
  expect([isPermission(readPermission), readPermission.split(':')[1]]).toEqual([true, 'read']);
});
