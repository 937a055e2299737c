import { everyList, type TestService } from '@tandem/testing';
import { training } from '@tandem/training-contract';
import { startTraining } from './training.test-service.ts';

let service: TestService<typeof training>;
beforeAll(async () => {
  service = await startTraining();
});
afterAll(() => service?.close());

everyList(training, () => service, {
  withoutIndex: {
    'listCourses.search': 'a tenant has some hundred courses',
    'listQuestionBanks.search': 'a tenant has some hundred question banks',
  },
});
