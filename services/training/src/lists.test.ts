import { everyList, type TestService } from '@tandem/testing';
import { training } from '@tandem/training-contract';
import { startTraining } from './training.test-service.ts';

let service: TestService<typeof training>;
beforeAll(async () => {
  service = await startTraining();
});
afterAll(() => service?.close());

everyList(training, () => service, {
  unsorted: {
    findCourses: 'reads the requested ids',
    findPartnerCompletions: 'reads the completions of the requested partners and courses',
  },
  texts: {
    'statistic_delta.day': '2026-01-01',
    'statistic_rollup.day': '2026-01-01',
    'statistic_sum.starts_on': '2026-01-01',
    'enrollment.learner_type': 'partner',
    'certificate.learner_type': 'partner',
  },
  // The id of a partner.
  samples: () => ({ 'listEnrollments.learnerId': '100001', 'listCertificates.learnerId': '100001' }),
  withoutIndex: {
    'listCourses.search': 'a tenant has some hundred courses',
    'listQuestionBanks.search': 'a tenant has some hundred question banks',
  },
});
