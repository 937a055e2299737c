import { analytics } from '@tandem/analytics-contract';
import { everyList } from '@tandem/testing';
import { type Analytics, startAnalytics } from './analytics.test-service.ts';

let service: Analytics;
beforeAll(async () => {
  service = await startAnalytics();
});
afterAll(() => service?.close());

everyList(analytics, () => service, {
  withoutIndex: { 'listRecordedEvents.includeAutomated': '`true` adds records' },
});
