import { createCallerSigner } from '@tandem/caller';
import { createServiceClient } from '@tandem/client/internal';
import { internalFiles } from '@tandem/files-contract';
import { createHtmlCleaner } from '@tandem/html-cleaner';
import { internalUsers } from '@tandem/identity-contract';
import type { ServiceDefinition, ServiceSettings } from '@tandem/service';
import { training } from '@tandem/training-contract';
import { courseHandlers } from './features/courses/index.ts';
import { purgeCourse } from './features/courses/purge-course.job.ts';
import { enrollmentHandlers } from './features/enrollments/index.ts';
import { lessonHandlers } from './features/lessons/index.ts';
import { moduleHandlers } from './features/modules/index.ts';
import { nameHandlers } from './features/names/index.ts';
import { questionBankHandlers } from './features/question-banks/index.ts';
import { Prisma, PrismaClient } from './generated/client.ts';
import type { Tools } from './handler.ts';

export type TrainingSettings = ServiceSettings & { IDENTITY_URL: string; FILES_URL: string };

/** Definition of the training service: contract, handlers and jobs. */
export function trainingService(
  settings: TrainingSettings,
): ServiceDefinition<typeof training, PrismaClient, TrainingSettings> {
  const asTraining = { service: 'training', signer: createCallerSigner(settings.INTERNAL_SECRETS) };
  const tools: Tools = {
    peers: {
      identity: createServiceClient({ ...asTraining, operations: internalUsers, baseUrl: settings.IDENTITY_URL }),
      files: createServiceClient({ ...asTraining, operations: internalFiles, baseUrl: settings.FILES_URL }),
    },
    cleaner: createHtmlCleaner(),
  };
  return {
    name: 'training',
    operations: training,
    handlers: {
      ...courseHandlers(tools),
      ...moduleHandlers,
      ...lessonHandlers(tools),
      ...questionBankHandlers,
      ...enrollmentHandlers(tools.peers),
      ...nameHandlers,
    },
    jobs: [purgeCourse],
    client: (adapter) => new PrismaClient({ adapter }),
    prisma: Prisma,
    narrowing: {
      Course: 'shared',
      CoursePrerequisite: 'shared',
      Module: 'shared',
      Lesson: 'shared',
      QuestionBank: 'shared',
      Question: 'shared',
      Enrollment: { owners: ['userId'] },
      LessonProgress: { through: ['enrollment'] },
      Attempt: { through: ['enrollment'] },
    },
    settings,
    close: tools.cleaner.close,
  };
}
