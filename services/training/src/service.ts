import { createCallerSigner } from '@tandem/caller';
import { createServiceClient } from '@tandem/client/internal';
import { internalLeads } from '@tandem/crm-contract';
import { internalFiles } from '@tandem/files-contract';
import { createHtmlCleaner } from '@tandem/html-cleaner';
import {
  internalAssignees,
  internalRoles,
  internalTeams,
  internalTenants,
  internalUsers,
} from '@tandem/identity-contract';
import { createIdCodec } from '@tandem/ids';
import { internalPartnerLookup, internalPartners } from '@tandem/partner-contract';
import { createLinkTokens, createSeal } from '@tandem/sealed';
import { personalData, type ServiceDefinition } from '@tandem/service';
import { training } from '@tandem/training-contract';
import { closeAttemptAtEnd } from './features/attempts/close-attempt.job.ts';
import { endAttempts } from './features/attempts/end-attempts.job.ts';
import { attemptHandlers } from './features/attempts/index.ts';
import { createCertificateRenderer } from './features/certificates/certificate-renderer.ts';
import { endCertificate } from './features/certificates/end-certificate.job.ts';
import { certificateHandlers } from './features/certificates/index.ts';
import { nameLearner } from './features/certificates/name-learner.job.ts';
import { completionHandlers } from './features/completions/index.ts';
import { followContent } from './features/content/follow-content.job.ts';
import { courseHandlers } from './features/courses/index.ts';
import { purgeCourse } from './features/courses/purge-course.job.ts';
import { enrollmentRuleHandlers } from './features/enrollment-rules/index.ts';
import { enrollContacts, enrollUsers } from './features/enrollment-rules/on-learner-changed.ts';
import { followTeamsAndRoles } from './features/enrollment-rules/on-team-deleted.ts';
import { applyRules, applyToExisting, applyToSkipped, removeOutcomes } from './features/enrollment-rules/rule-jobs.ts';
import { enrollInBulk } from './features/enrollments/bulk-jobs.ts';
import { endEnrollment, remindLearner } from './features/enrollments/end-enrollment.job.ts';
import { enrollmentHandlers } from './features/enrollments/index.ts';
import { exportHandlers } from './features/exports/index.ts';
import { notifyLearners } from './features/learner-notices/on-learning-changed.ts';
import { followMerges } from './features/learners-left/follow-merges.ts';
import { withdrawLeads, withdrawPartners, withdrawUsers } from './features/learners-left/on-learner-left.ts';
import { withdrawLearner } from './features/learners-left/withdraw-learner.job.ts';
import { lessonHandlers } from './features/lessons/index.ts';
import { moduleHandlers } from './features/modules/index.ts';
import { nameHandlers } from './features/names/index.ts';
import { trainingData } from './features/personal-data/training-data.ts';
import { portalTrainingHandlers } from './features/portal/index.ts';
import { progressHandlers } from './features/progress/index.ts';
import { questionBankHandlers } from './features/question-banks/index.ts';
import { scormHandlers } from './features/scorm/index.ts';
import { createPackageReader } from './features/scorm/package/package-reader.ts';
import { playerOrigin } from './features/scorm/player/player-origin.ts';
import { statementHandlers } from './features/statements/index.ts';
import { foldStatistics } from './features/statistics/deltas.ts';
import { statisticsHandlers } from './features/statistics/index.ts';
import { Prisma, PrismaClient } from './generated/client.ts';
import type { Peers, Tools } from './handler.ts';
import type { TrainingSettings } from './settings.ts';

/** Definition of the training service: contract, handlers and jobs. */
export function trainingService(
  settings: TrainingSettings,
): ServiceDefinition<typeof training, PrismaClient, TrainingSettings> {
  const peers = connectPeers(settings);
  const seal = createSeal(settings.ENCRYPTION_KEY);
  const tools: Tools = {
    peers,
    cleaner: createHtmlCleaner(),
    ids: createIdCodec(settings.IDS_ALPHABET),
    publicUrl: settings.PUBLIC_URL.replace(/\/$/, ''),
    links: createLinkTokens(seal, 'certificates'),
    renderer: createCertificateRenderer(),
    scormLinks: createLinkTokens(seal, 'scorm'),
    packages: createPackageReader(peers),
    player: playerOrigin(settings),
  };
  const merges = followMerges();
  const person = personalData('training', trainingData(tools));
  return {
    name: 'training',
    operations: training,
    handlers: {
      ...courseHandlers(tools),
      ...moduleHandlers,
      ...lessonHandlers(tools),
      ...questionBankHandlers,
      ...enrollmentHandlers(tools),
      ...enrollmentRuleHandlers(tools),
      ...progressHandlers,
      ...attemptHandlers(tools),
      ...certificateHandlers(tools),
      ...scormHandlers(tools),
      ...statementHandlers(tools),
      ...statisticsHandlers(tools),
      ...portalTrainingHandlers(tools),
      ...completionHandlers,
      ...nameHandlers,
      ...exportHandlers(tools),
      ...person.handlers,
    },
    jobs: [
      purgeCourse,
      enrollInBulk(tools),
      endEnrollment,
      remindLearner,
      closeAttemptAtEnd,
      endAttempts,
      nameLearner(tools),
      endCertificate,
      followContent,
      foldStatistics,
      applyRules(tools),
      applyToExisting(tools),
      applyToSkipped(tools),
      removeOutcomes,
      withdrawLearner(tools),
      ...merges.jobs,
      ...person.jobs,
    ],
    consumers: [
      enrollUsers,
      enrollContacts,
      followTeamsAndRoles,
      withdrawUsers,
      withdrawLeads,
      withdrawPartners,
      notifyLearners(tools),
      ...merges.consumers,
      ...person.consumers,
    ],
    narrowing: {
      Course: 'shared',
      CoursePrerequisite: 'shared',
      Module: 'shared',
      Lesson: 'shared',
      QuestionBank: 'shared',
      Question: 'shared',
      Enrollment: { owners: ['userId'] },
      EnrollmentRule: 'shared',
      RuleOutcome: 'shared',
      MergedLead: 'shared',
      LessonProgress: { through: ['enrollment'] },
      Attempt: { through: ['enrollment'] },
      Certificate: { through: ['enrollment'] },
      ScormPackage: 'shared',
      ScormEntry: 'shared',
      ScormState: { through: ['enrollment'] },
      StatisticDelta: 'shared',
      StatisticRollup: 'shared',
      StatisticSum: 'shared',
    },
    client: (adapter) => new PrismaClient({ adapter }),
    prisma: Prisma,
    settings,
    async close() {
      await tools.cleaner.close();
      await tools.renderer.close();
      await tools.packages.close();
    },
  };
}

function connectPeers(settings: TrainingSettings): Peers {
  const { IDENTITY_URL, PARTNER_URL, CRM_URL, FILES_URL } = settings;
  const common = { service: 'training', signer: createCallerSigner(settings.INTERNAL_SECRETS) };
  return {
    identity: createServiceClient({
      ...common,
      operations: { ...internalUsers, ...internalAssignees, ...internalTenants, ...internalTeams, ...internalRoles },
      baseUrl: IDENTITY_URL,
    }),
    partner: createServiceClient({
      ...common,
      operations: { ...internalPartnerLookup, ...internalPartners },
      baseUrl: PARTNER_URL,
    }),
    crm: createServiceClient({ ...common, operations: internalLeads, baseUrl: CRM_URL }),
    files: createServiceClient({ ...common, operations: internalFiles, baseUrl: FILES_URL }),
  };
}
