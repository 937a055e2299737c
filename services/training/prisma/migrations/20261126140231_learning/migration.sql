-- AlterTable
ALTER TABLE "course" ADD COLUMN     "certificate" JSONB,
ADD COLUMN     "content_version" INTEGER NOT NULL DEFAULT 1,
ADD COLUMN     "deleted_at" TIMESTAMPTZ(3),
ADD COLUMN     "enrollment_count" INTEGER NOT NULL DEFAULT 0,
ADD COLUMN     "lessons_count" INTEGER NOT NULL DEFAULT 0,
ADD COLUMN     "modules_count" INTEGER NOT NULL DEFAULT 0;

-- AlterTable
ALTER TABLE "enrollment" ADD COLUMN     "attempt_no" INTEGER NOT NULL DEFAULT 1,
ADD COLUMN     "certificate_id" BIGINT,
ADD COLUMN     "completed_at" TIMESTAMPTZ(3),
ADD COLUMN     "completed_lessons" INTEGER NOT NULL DEFAULT 0,
ADD COLUMN     "content_version" INTEGER NOT NULL DEFAULT 1,
ADD COLUMN     "created_by" BIGINT,
ADD COLUMN     "expires_at" TIMESTAMPTZ(3),
ADD COLUMN     "last_activity_at" TIMESTAMPTZ(3),
ADD COLUMN     "last_lesson_id" BIGINT,
ADD COLUMN     "learner_type" TEXT NOT NULL DEFAULT 'user',
ADD COLUMN     "percent" DOUBLE PRECISION NOT NULL DEFAULT 0,
ADD COLUMN     "required_lessons" INTEGER NOT NULL DEFAULT 0,
ADD COLUMN     "rule_id" BIGINT,
ADD COLUMN     "score" DOUBLE PRECISION,
ADD COLUMN     "seconds_spent" INTEGER NOT NULL DEFAULT 0,
ADD COLUMN     "source" TEXT NOT NULL DEFAULT 'manual',
ADD COLUMN     "started_at" TIMESTAMPTZ(3),
ADD COLUMN     "user_id" BIGINT;

-- AlterTable
ALTER TABLE "lesson" ADD COLUMN     "completion" JSONB NOT NULL DEFAULT '{"rule": "view"}',
ADD COLUMN     "deleted_at" TIMESTAMPTZ(3),
ADD COLUMN     "file_id" BIGINT,
ADD COLUMN     "module_id" BIGINT,
ADD COLUMN     "quiz" JSONB,
ADD COLUMN     "release" JSONB NOT NULL DEFAULT '{"type": "immediate"}',
ALTER COLUMN "module" SET DEFAULT '';

-- CreateTable
CREATE TABLE "course_prerequisite" (
    "tenant_id" BIGINT NOT NULL DEFAULT platform.tenant_id(),
    "environment" TEXT NOT NULL DEFAULT platform.environment(),
    "course_id" BIGINT NOT NULL,
    "required_course_id" BIGINT NOT NULL,

    CONSTRAINT "course_prerequisite_pkey" PRIMARY KEY ("tenant_id","environment","course_id","required_course_id")
);

-- CreateTable
CREATE TABLE "module" (
    "tenant_id" BIGINT NOT NULL DEFAULT platform.tenant_id(),
    "environment" TEXT NOT NULL DEFAULT platform.environment(),
    "id" BIGSERIAL NOT NULL,
    "course_id" BIGINT NOT NULL,
    "title" TEXT NOT NULL,
    "description" TEXT,
    "order" INTEGER NOT NULL,
    "version" INTEGER NOT NULL DEFAULT 1,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "module_pkey" PRIMARY KEY ("tenant_id","environment","id")
);

-- CreateTable
CREATE TABLE "question_bank" (
    "tenant_id" BIGINT NOT NULL DEFAULT platform.tenant_id(),
    "environment" TEXT NOT NULL DEFAULT platform.environment(),
    "id" BIGSERIAL NOT NULL,
    "title" TEXT NOT NULL,
    "description" TEXT,
    "questions_count" INTEGER NOT NULL DEFAULT 0,
    "created_by" BIGINT,
    "version" INTEGER NOT NULL DEFAULT 1,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "question_bank_pkey" PRIMARY KEY ("tenant_id","environment","id")
);

-- CreateTable
CREATE TABLE "question" (
    "tenant_id" BIGINT NOT NULL DEFAULT platform.tenant_id(),
    "environment" TEXT NOT NULL DEFAULT platform.environment(),
    "id" BIGSERIAL NOT NULL,
    "lesson_id" BIGINT,
    "bank_id" BIGINT,
    "type" TEXT NOT NULL,
    "text" TEXT NOT NULL,
    "options" JSONB NOT NULL DEFAULT '[]',
    "answers" JSONB NOT NULL DEFAULT '[]',
    "points" DOUBLE PRECISION NOT NULL DEFAULT 1,
    "explanation" TEXT,
    "order" INTEGER NOT NULL DEFAULT 0,
    "version" INTEGER NOT NULL DEFAULT 1,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "question_pkey" PRIMARY KEY ("tenant_id","environment","id")
);

-- CreateTable
CREATE TABLE "lesson_progress" (
    "tenant_id" BIGINT NOT NULL DEFAULT platform.tenant_id(),
    "environment" TEXT NOT NULL DEFAULT platform.environment(),
    "enrollment_id" BIGINT NOT NULL,
    "lesson_id" BIGINT NOT NULL,
    "status" TEXT NOT NULL DEFAULT 'in_progress',
    "percent" DOUBLE PRECISION NOT NULL DEFAULT 0,
    "position" DOUBLE PRECISION NOT NULL DEFAULT 0,
    "seconds_spent" INTEGER NOT NULL DEFAULT 0,
    "score" DOUBLE PRECISION,
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "started_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "reported_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "completed_at" TIMESTAMPTZ(3),

    CONSTRAINT "lesson_progress_pkey" PRIMARY KEY ("tenant_id","environment","enrollment_id","lesson_id")
);

-- CreateTable
CREATE TABLE "attempt" (
    "tenant_id" BIGINT NOT NULL DEFAULT platform.tenant_id(),
    "environment" TEXT NOT NULL DEFAULT platform.environment(),
    "id" BIGSERIAL NOT NULL,
    "enrollment_id" BIGINT NOT NULL,
    "course_id" BIGINT NOT NULL,
    "lesson_id" BIGINT NOT NULL,
    "user_id" BIGINT,
    "number" INTEGER NOT NULL,
    "status" TEXT NOT NULL DEFAULT 'in_progress',
    "questions" JSONB NOT NULL DEFAULT '[]',
    "answers" JSONB,
    "text" TEXT,
    "file_ids" BIGINT[] DEFAULT ARRAY[]::BIGINT[],
    "score" DOUBLE PRECISION,
    "pass_score" DOUBLE PRECISION,
    "passed" BOOLEAN,
    "feedback" TEXT,
    "started_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "ends_at" TIMESTAMPTZ(3),
    "submitted_at" TIMESTAMPTZ(3),
    "graded_at" TIMESTAMPTZ(3),
    "graded_by" BIGINT,
    "version" INTEGER NOT NULL DEFAULT 1,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "attempt_pkey" PRIMARY KEY ("tenant_id","environment","id")
);

-- CreateIndex
CREATE INDEX "course_prerequisite_tenant_id_environment_required_course_i_idx" ON "course_prerequisite"("tenant_id", "environment", "required_course_id");

-- CreateIndex
CREATE INDEX "module_tenant_id_environment_course_id_order_idx" ON "module"("tenant_id", "environment", "course_id", "order");

-- CreateIndex
CREATE INDEX "module_tenant_id_environment_course_id_created_at_id_idx" ON "module"("tenant_id", "environment", "course_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "question_bank_tenant_id_environment_created_at_id_idx" ON "question_bank"("tenant_id", "environment", "created_at", "id");

-- CreateIndex
CREATE INDEX "question_bank_tenant_id_environment_title_id_idx" ON "question_bank"("tenant_id", "environment", "title", "id");

-- CreateIndex
CREATE INDEX "question_tenant_id_environment_lesson_id_order_idx" ON "question"("tenant_id", "environment", "lesson_id", "order");

-- CreateIndex
CREATE INDEX "question_tenant_id_environment_bank_id_created_at_id_idx" ON "question"("tenant_id", "environment", "bank_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "lesson_progress_tenant_id_environment_lesson_id_idx" ON "lesson_progress"("tenant_id", "environment", "lesson_id");

-- CreateIndex
CREATE INDEX "attempt_tenant_id_environment_lesson_id_created_at_id_idx" ON "attempt"("tenant_id", "environment", "lesson_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "attempt_tenant_id_environment_status_created_at_id_idx" ON "attempt"("tenant_id", "environment", "status", "created_at", "id");

-- CreateIndex
CREATE INDEX "attempt_tenant_id_environment_created_at_id_idx" ON "attempt"("tenant_id", "environment", "created_at", "id");

-- CreateIndex
CREATE UNIQUE INDEX "attempt_tenant_id_environment_enrollment_id_lesson_id_numbe_key" ON "attempt"("tenant_id", "environment", "enrollment_id", "lesson_id", "number");

-- CreateIndex
CREATE UNIQUE INDEX "attempt_open" ON "attempt"("tenant_id", "environment", "enrollment_id", "lesson_id") WHERE (status = 'in_progress');

-- AddForeignKey
ALTER TABLE "course_prerequisite" ADD CONSTRAINT "course_prerequisite_tenant_id_environment_course_id_fkey" FOREIGN KEY ("tenant_id", "environment", "course_id") REFERENCES "course"("tenant_id", "environment", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "course_prerequisite" ADD CONSTRAINT "course_prerequisite_tenant_id_environment_required_course__fkey" FOREIGN KEY ("tenant_id", "environment", "required_course_id") REFERENCES "course"("tenant_id", "environment", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "module" ADD CONSTRAINT "module_tenant_id_environment_course_id_fkey" FOREIGN KEY ("tenant_id", "environment", "course_id") REFERENCES "course"("tenant_id", "environment", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "lesson" ADD CONSTRAINT "lesson_tenant_id_environment_module_id_fkey" FOREIGN KEY ("tenant_id", "environment", "module_id") REFERENCES "module"("tenant_id", "environment", "id") ON DELETE RESTRICT ON UPDATE CASCADE NOT VALID;

-- AddForeignKey
ALTER TABLE "question" ADD CONSTRAINT "question_tenant_id_environment_lesson_id_fkey" FOREIGN KEY ("tenant_id", "environment", "lesson_id") REFERENCES "lesson"("tenant_id", "environment", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "question" ADD CONSTRAINT "question_tenant_id_environment_bank_id_fkey" FOREIGN KEY ("tenant_id", "environment", "bank_id") REFERENCES "question_bank"("tenant_id", "environment", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "lesson_progress" ADD CONSTRAINT "lesson_progress_tenant_id_environment_enrollment_id_fkey" FOREIGN KEY ("tenant_id", "environment", "enrollment_id") REFERENCES "enrollment"("tenant_id", "environment", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "attempt" ADD CONSTRAINT "attempt_tenant_id_environment_enrollment_id_fkey" FOREIGN KEY ("tenant_id", "environment", "enrollment_id") REFERENCES "enrollment"("tenant_id", "environment", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

ALTER TABLE "course_prerequisite" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "course_prerequisite" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "course_prerequisite" USING (tenant_id = platform.tenant_id() AND environment = platform.environment());

ALTER TABLE "module" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "module" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "module" USING (tenant_id = platform.tenant_id() AND environment = platform.environment());

ALTER TABLE "question_bank" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "question_bank" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "question_bank" USING (tenant_id = platform.tenant_id() AND environment = platform.environment());

ALTER TABLE "question" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "question" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "question" USING (tenant_id = platform.tenant_id() AND environment = platform.environment());

ALTER TABLE "lesson_progress" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "lesson_progress" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "lesson_progress" USING (tenant_id = platform.tenant_id() AND environment = platform.environment());

ALTER TABLE "attempt" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "attempt" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "attempt" USING (tenant_id = platform.tenant_id() AND environment = platform.environment());
