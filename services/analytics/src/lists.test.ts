import { analytics } from '@tandem/analytics-contract';
import { everyList } from '@tandem/testing';
import { type Analytics, startAnalytics } from './analytics.test-service.ts';

let service: Analytics;
beforeAll(async () => {
  service = await startAnalytics();
});
afterAll(() => service?.close());

everyList(analytics, () => service, {
  texts: { 'report.visibility': 'tenant', 'report_run.report_id': '100001', 'report_schedule.report_id': '100001' },
  // PostgreSQL reads no partition for a time beyond the last one.
  samples: () => ({
    'listRecordedEvents.from': new Date(Date.now() + 3_600_000).toISOString(),
    'listRecordedEvents.includeAutomated': 'false',
  }),
  unsorted: { listPredictionModels: 'a model has at most twelve versions, the newest first' },
  withoutIndex: {
    'listReports.ownerId': 'a tenant has at most 500 reports',
    'listReports.includePrivate': 'a tenant has at most 500 reports',
    'listRecordedEvents.assignedTo': 'explains numbers of the dashboard, together with a type and a time',
    'listRecordedEvents.teamId': 'explains numbers of the dashboard, together with a type and a time',
  },
});
