import { createCallerSigner } from '@tandem/caller';
import { createServiceClient } from '@tandem/client/internal';
import { internalUsers } from '@tandem/identity-contract';
import type { ServiceDefinition, ServiceSettings } from '@tandem/service';
import { training } from '@tandem/training-contract';
import { courseHandlers } from './features/courses/index.ts';
import { enrollmentHandlers } from './features/enrollments/index.ts';
import { lessonHandlers } from './features/lessons/index.ts';
import { nameHandlers } from './features/names/index.ts';
import { Prisma, PrismaClient } from './generated/client.ts';

export type TrainingSettings = ServiceSettings & { IDENTITY_URL: string };

/** Definition of the training service: contract and handlers. */
export function trainingService(
  settings: TrainingSettings,
): ServiceDefinition<typeof training, PrismaClient, TrainingSettings> {
  const identity = createServiceClient({
    operations: internalUsers,
    baseUrl: settings.IDENTITY_URL,
    service: 'training',
    signer: createCallerSigner(settings.INTERNAL_SECRETS),
  });
  return {
    name: 'training',
    operations: training,
    handlers: { ...courseHandlers, ...lessonHandlers, ...enrollmentHandlers({ identity }), ...nameHandlers },
    client: (adapter) => new PrismaClient({ adapter }),
    prisma: Prisma,
    settings,
  };
}
