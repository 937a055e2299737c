import { everyList, type TestService } from '@tandem/testing';
import { training } from '@tandem/training-contract';
import { startTraining } from './training.test-service.ts';

let service: TestService<typeof training>;
beforeAll(async () => {
  service = await startTraining();
});
afterAll(() => service?.close());

everyList(training, () => service, {
  texts: {
    'statistic_delta.day': '2026-01-01',
    'statistic_rollup.day': '2026-01-01',
    'enrollment.learner_type': 'partner',
    'certificate.learner_type': 'partner',
  },
  withoutIndex: {
    'listCourses.search': 'a tenant has some hundred courses',
    'listQuestionBanks.search': 'a tenant has some hundred question banks',
    'listPortalCourses.search': 'a tenant has some hundred courses',
    'listEnrollments.overdue': 'compares with the time; the due dates of running enrolments have an index of their own',
  },
});
