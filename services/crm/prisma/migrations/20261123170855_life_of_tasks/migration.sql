-- AlterTable
ALTER TABLE "task" ADD COLUMN     "completed_at" TIMESTAMPTZ(3),
ADD COLUMN     "completed_by" BIGINT,
ADD COLUMN     "deleted_at" TIMESTAMPTZ(3),
ADD COLUMN     "escalation_level" INTEGER NOT NULL DEFAULT 0,
ADD COLUMN     "occurrence" INTEGER,
ADD COLUMN     "occurrence_at" TIMESTAMPTZ(3),
ADD COLUMN     "outcome" TEXT,
ADD COLUMN     "outcome_note" TEXT,
ADD COLUMN     "partner_id" BIGINT,
ADD COLUMN     "series_id" BIGINT;

-- CreateTable
CREATE TABLE "subtask" (
    "tenant_id" BIGINT NOT NULL DEFAULT platform.tenant_id(),
    "environment" TEXT NOT NULL DEFAULT platform.environment(),
    "id" BIGSERIAL NOT NULL,
    "task_id" BIGINT NOT NULL,
    "title" TEXT NOT NULL,
    "status" TEXT NOT NULL DEFAULT 'pending',
    "assigned_to" BIGINT,
    "due_at" TIMESTAMPTZ(3),
    "sort_order" INTEGER NOT NULL,
    "completed_at" TIMESTAMPTZ(3),
    "completed_by" BIGINT,
    "created_by" BIGINT,
    "version" INTEGER NOT NULL DEFAULT 1,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "subtask_pkey" PRIMARY KEY ("tenant_id","environment","id")
);

-- CreateTable
CREATE TABLE "reminder" (
    "tenant_id" BIGINT NOT NULL DEFAULT platform.tenant_id(),
    "environment" TEXT NOT NULL DEFAULT platform.environment(),
    "id" BIGSERIAL NOT NULL,
    "task_id" BIGINT NOT NULL,
    "remind_at" TIMESTAMPTZ(3) NOT NULL,
    "minutes_before" INTEGER,
    "channel" TEXT NOT NULL,
    "status" TEXT NOT NULL DEFAULT 'scheduled',
    "is_deleted" BOOLEAN NOT NULL DEFAULT false,
    "sent_at" TIMESTAMPTZ(3),
    "created_by" BIGINT,
    "version" INTEGER NOT NULL DEFAULT 1,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "reminder_pkey" PRIMARY KEY ("tenant_id","environment","id")
);

-- CreateTable
CREATE TABLE "task_series" (
    "tenant_id" BIGINT NOT NULL DEFAULT platform.tenant_id(),
    "environment" TEXT NOT NULL DEFAULT platform.environment(),
    "id" BIGSERIAL NOT NULL,
    "rrule" TEXT NOT NULL,
    "timezone" TEXT NOT NULL,
    "start_at" TIMESTAMPTZ(3) NOT NULL,
    "until" TIMESTAMPTZ(3),
    "count" INTEGER,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "task_series_pkey" PRIMARY KEY ("tenant_id","environment","id")
);

-- CreateTable
CREATE TABLE "task_escalation" (
    "tenant_id" BIGINT NOT NULL DEFAULT platform.tenant_id(),
    "environment" TEXT NOT NULL DEFAULT platform.environment(),
    "task_id" BIGINT NOT NULL,
    "level" INTEGER NOT NULL,
    "action" TEXT NOT NULL,
    "to_user_id" BIGINT NOT NULL,
    "rule_id" BIGINT,
    "due_at" TIMESTAMPTZ(3),
    "reason" TEXT,
    "created_by" BIGINT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "task_escalation_pkey" PRIMARY KEY ("tenant_id","environment","task_id","level")
);

-- CreateTable
CREATE TABLE "escalation_rule" (
    "tenant_id" BIGINT NOT NULL DEFAULT platform.tenant_id(),
    "environment" TEXT NOT NULL DEFAULT platform.environment(),
    "id" BIGSERIAL NOT NULL,
    "name" TEXT NOT NULL,
    "type" TEXT,
    "priority" TEXT,
    "team_id" BIGINT,
    "overdue_minutes" INTEGER NOT NULL,
    "action" TEXT NOT NULL,
    "target_user_id" BIGINT,
    "working_hours_only" BOOLEAN NOT NULL DEFAULT false,
    "active" BOOLEAN NOT NULL DEFAULT true,
    "round" INTEGER NOT NULL DEFAULT 1,
    "created_by" BIGINT,
    "version" INTEGER NOT NULL DEFAULT 1,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "escalation_rule_pkey" PRIMARY KEY ("tenant_id","environment","id")
);

-- CreateIndex
CREATE INDEX "subtask_tenant_id_environment_task_id_sort_order_id_idx" ON "subtask"("tenant_id", "environment", "task_id", "sort_order", "id");

-- CreateIndex
CREATE INDEX "subtask_tenant_id_environment_task_id_created_at_id_idx" ON "subtask"("tenant_id", "environment", "task_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "reminder_tenant_id_environment_task_id_remind_at_id_idx" ON "reminder"("tenant_id", "environment", "task_id", "remind_at", "id");

-- CreateIndex
CREATE INDEX "reminder_tenant_id_environment_task_id_created_at_id_idx" ON "reminder"("tenant_id", "environment", "task_id", "created_at", "id");

-- CreateIndex
CREATE UNIQUE INDEX "task_escalation_tenant_id_environment_task_id_rule_id_due_a_key" ON "task_escalation"("tenant_id", "environment", "task_id", "rule_id", "due_at");

-- CreateIndex
CREATE INDEX "escalation_rule_tenant_id_environment_created_at_id_idx" ON "escalation_rule"("tenant_id", "environment", "created_at", "id");

-- CreateIndex
CREATE INDEX "escalation_rule_tenant_id_environment_name_id_idx" ON "escalation_rule"("tenant_id", "environment", "name", "id");

-- AddForeignKey
ALTER TABLE "task" ADD CONSTRAINT "task_tenant_id_environment_series_id_fkey" FOREIGN KEY ("tenant_id", "environment", "series_id") REFERENCES "task_series"("tenant_id", "environment", "id") ON DELETE RESTRICT ON UPDATE CASCADE NOT VALID;

-- AddForeignKey
ALTER TABLE "subtask" ADD CONSTRAINT "subtask_tenant_id_environment_task_id_fkey" FOREIGN KEY ("tenant_id", "environment", "task_id") REFERENCES "task"("tenant_id", "environment", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "reminder" ADD CONSTRAINT "reminder_tenant_id_environment_task_id_fkey" FOREIGN KEY ("tenant_id", "environment", "task_id") REFERENCES "task"("tenant_id", "environment", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "task_escalation" ADD CONSTRAINT "task_escalation_tenant_id_environment_task_id_fkey" FOREIGN KEY ("tenant_id", "environment", "task_id") REFERENCES "task"("tenant_id", "environment", "id") ON DELETE CASCADE ON UPDATE CASCADE;

ALTER TABLE "subtask" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "subtask" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "subtask" USING (tenant_id = platform.tenant_id() AND environment = platform.environment());

ALTER TABLE "reminder" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "reminder" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "reminder" USING (tenant_id = platform.tenant_id() AND environment = platform.environment());

ALTER TABLE "task_series" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "task_series" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "task_series" USING (tenant_id = platform.tenant_id() AND environment = platform.environment());

ALTER TABLE "task_escalation" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "task_escalation" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "task_escalation" USING (tenant_id = platform.tenant_id() AND environment = platform.environment());

ALTER TABLE "escalation_rule" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "escalation_rule" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "escalation_rule" USING (tenant_id = platform.tenant_id() AND environment = platform.environment());

ALTER TABLE "subtask" ADD CONSTRAINT "subtask_status" CHECK ("status" IN ('pending', 'completed'));
ALTER TABLE "reminder" ADD CONSTRAINT "reminder_status" CHECK ("status" IN ('scheduled', 'sent', 'cancelled'));
ALTER TABLE "reminder" ADD CONSTRAINT "reminder_sent" CHECK (("status" = 'sent') = ("sent_at" IS NOT NULL));
ALTER TABLE "task_escalation" ADD CONSTRAINT "task_escalation_level" CHECK ("level" BETWEEN 1 AND 5);
ALTER TABLE "escalation_rule" ADD CONSTRAINT "escalation_rule_overdue" CHECK ("overdue_minutes" >= 0);

-- Deleted tasks are purged after 30 days, with what belongs to them.
GRANT SELECT ("deleted_at"), DELETE ON "task" TO "tandem_crm_relay";
CREATE POLICY purge ON "task" TO "tandem_crm_relay" USING ("deleted_at" < now() - interval '30 days');
