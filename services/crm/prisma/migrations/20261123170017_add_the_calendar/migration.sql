-- CreateTable
CREATE TABLE "calendar_event" (
    "tenant_id" BIGINT NOT NULL DEFAULT platform.tenant_id(),
    "environment" TEXT NOT NULL DEFAULT platform.environment(),
    "id" BIGSERIAL NOT NULL,
    "uid" TEXT NOT NULL,
    "sequence" INTEGER NOT NULL DEFAULT 0,
    "title" TEXT NOT NULL,
    "description" TEXT,
    "start_at" TIMESTAMPTZ(3) NOT NULL,
    "end_at" TIMESTAMPTZ(3) NOT NULL,
    "timezone" TEXT NOT NULL,
    "all_day" BOOLEAN NOT NULL DEFAULT false,
    "status" TEXT NOT NULL DEFAULT 'scheduled',
    "location" TEXT,
    "join_url" TEXT,
    "visibility" TEXT NOT NULL DEFAULT 'default',
    "lead_id" BIGINT,
    "opportunity_id" BIGINT,
    "organizer_id" BIGINT,
    "recurrence" TEXT,
    "series_end_at" TIMESTAMPTZ(3),
    "recurring_event_id" BIGINT,
    "original_start_at" TIMESTAMPTZ(3),
    "booking_link_id" BIGINT,
    "created_by" BIGINT,
    "version" INTEGER NOT NULL DEFAULT 1,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "calendar_event_pkey" PRIMARY KEY ("tenant_id","environment","id")
);

-- CreateTable
CREATE TABLE "calendar_attendee" (
    "tenant_id" BIGINT NOT NULL DEFAULT platform.tenant_id(),
    "environment" TEXT NOT NULL DEFAULT platform.environment(),
    "id" BIGSERIAL NOT NULL,
    "event_id" BIGINT NOT NULL,
    "user_id" BIGINT,
    "email" TEXT,
    "name" TEXT,
    "response" TEXT NOT NULL DEFAULT 'pending',
    "responded_at" TIMESTAMPTZ(3),

    CONSTRAINT "calendar_attendee_pkey" PRIMARY KEY ("tenant_id","environment","id")
);

-- CreateTable
CREATE TABLE "user_availability" (
    "tenant_id" BIGINT NOT NULL DEFAULT platform.tenant_id(),
    "environment" TEXT NOT NULL DEFAULT platform.environment(),
    "user_id" BIGINT NOT NULL,
    "timezone" TEXT NOT NULL,
    "weekly" JSONB NOT NULL,
    "buffer_before_minutes" INTEGER NOT NULL DEFAULT 0,
    "buffer_after_minutes" INTEGER NOT NULL DEFAULT 0,
    "version" INTEGER NOT NULL DEFAULT 1,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "user_availability_pkey" PRIMARY KEY ("tenant_id","environment","user_id")
);

-- CreateTable
CREATE TABLE "time_off" (
    "tenant_id" BIGINT NOT NULL DEFAULT platform.tenant_id(),
    "environment" TEXT NOT NULL DEFAULT platform.environment(),
    "id" BIGSERIAL NOT NULL,
    "user_id" BIGINT NOT NULL,
    "from_at" TIMESTAMPTZ(3) NOT NULL,
    "to_at" TIMESTAMPTZ(3) NOT NULL,
    "reason" TEXT,
    "created_by" BIGINT,
    "version" INTEGER NOT NULL DEFAULT 1,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "time_off_pkey" PRIMARY KEY ("tenant_id","environment","id")
);

-- CreateTable
CREATE TABLE "booking_link" (
    "tenant_id" BIGINT NOT NULL DEFAULT platform.tenant_id(),
    "environment" TEXT NOT NULL DEFAULT platform.environment(),
    "id" BIGSERIAL NOT NULL,
    "slug" TEXT NOT NULL,
    "title" TEXT NOT NULL,
    "description" TEXT,
    "duration_minutes" INTEGER NOT NULL,
    "host_ids" BIGINT[],
    "host_mode" TEXT NOT NULL DEFAULT 'any',
    "turn" INTEGER NOT NULL DEFAULT 0,
    "questions" JSONB NOT NULL DEFAULT '[]',
    "notice_minutes" INTEGER NOT NULL DEFAULT 60,
    "horizon_days" INTEGER NOT NULL DEFAULT 30,
    "location" TEXT,
    "join_url" TEXT,
    "active" BOOLEAN NOT NULL DEFAULT true,
    "created_by" BIGINT,
    "version" INTEGER NOT NULL DEFAULT 1,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "booking_link_pkey" PRIMARY KEY ("tenant_id","environment","id")
);

-- CreateIndex
CREATE INDEX "calendar_event_tenant_id_environment_start_at_id_idx" ON "calendar_event"("tenant_id", "environment", "start_at", "id");

-- CreateIndex
CREATE INDEX "calendar_event_tenant_id_environment_created_at_id_idx" ON "calendar_event"("tenant_id", "environment", "created_at", "id");

-- CreateIndex
CREATE INDEX "calendar_event_tenant_id_environment_updated_at_id_idx" ON "calendar_event"("tenant_id", "environment", "updated_at", "id");

-- CreateIndex
CREATE INDEX "calendar_event_tenant_id_environment_status_start_at_id_idx" ON "calendar_event"("tenant_id", "environment", "status", "start_at", "id");

-- CreateIndex
CREATE INDEX "calendar_event_tenant_id_environment_organizer_id_start_at__idx" ON "calendar_event"("tenant_id", "environment", "organizer_id", "start_at", "id");

-- CreateIndex
CREATE INDEX "calendar_event_tenant_id_environment_lead_id_start_at_id_idx" ON "calendar_event"("tenant_id", "environment", "lead_id", "start_at", "id");

-- CreateIndex
CREATE INDEX "calendar_event_tenant_id_environment_opportunity_id_start_a_idx" ON "calendar_event"("tenant_id", "environment", "opportunity_id", "start_at", "id");

-- CreateIndex
CREATE INDEX "calendar_event_series" ON "calendar_event"("tenant_id", "environment", "organizer_id", "id") WHERE (recurrence IS NOT NULL);

-- CreateIndex
CREATE INDEX "calendar_event_lookup" ON "calendar_event" USING GIN ("tenant_id" int8_ops, "title" gin_trgm_ops);

-- CreateIndex
CREATE UNIQUE INDEX "calendar_event_tenant_id_environment_recurring_event_id_ori_key" ON "calendar_event"("tenant_id", "environment", "recurring_event_id", "original_start_at");

-- CreateIndex
CREATE INDEX "calendar_attendee_tenant_id_environment_user_id_event_id_idx" ON "calendar_attendee"("tenant_id", "environment", "user_id", "event_id");

-- CreateIndex
CREATE UNIQUE INDEX "calendar_attendee_tenant_id_environment_event_id_user_id_key" ON "calendar_attendee"("tenant_id", "environment", "event_id", "user_id");

-- CreateIndex
CREATE UNIQUE INDEX "calendar_attendee_tenant_id_environment_event_id_email_key" ON "calendar_attendee"("tenant_id", "environment", "event_id", "email");

-- CreateIndex
CREATE INDEX "time_off_tenant_id_environment_from_at_id_idx" ON "time_off"("tenant_id", "environment", "from_at", "id");

-- CreateIndex
CREATE INDEX "time_off_tenant_id_environment_created_at_id_idx" ON "time_off"("tenant_id", "environment", "created_at", "id");

-- CreateIndex
CREATE INDEX "time_off_tenant_id_environment_user_id_from_at_id_idx" ON "time_off"("tenant_id", "environment", "user_id", "from_at", "id");

-- CreateIndex
CREATE INDEX "time_off_tenant_id_environment_created_by_from_at_id_idx" ON "time_off"("tenant_id", "environment", "created_by", "from_at", "id");

-- CreateIndex
CREATE INDEX "booking_link_tenant_id_environment_created_at_id_idx" ON "booking_link"("tenant_id", "environment", "created_at", "id");

-- CreateIndex
CREATE INDEX "booking_link_tenant_id_environment_updated_at_id_idx" ON "booking_link"("tenant_id", "environment", "updated_at", "id");

-- CreateIndex
CREATE INDEX "booking_link_tenant_id_environment_title_id_idx" ON "booking_link"("tenant_id", "environment", "title", "id");

-- CreateIndex
CREATE INDEX "booking_link_tenant_id_environment_active_created_at_id_idx" ON "booking_link"("tenant_id", "environment", "active", "created_at", "id");

-- CreateIndex
CREATE INDEX "booking_link_tenant_id_environment_created_by_created_at_id_idx" ON "booking_link"("tenant_id", "environment", "created_by", "created_at", "id");

-- CreateIndex
CREATE UNIQUE INDEX "booking_link_tenant_id_environment_slug_key" ON "booking_link"("tenant_id", "environment", "slug");

-- AddForeignKey
ALTER TABLE "calendar_event" ADD CONSTRAINT "calendar_event_tenant_id_environment_recurring_event_id_fkey" FOREIGN KEY ("tenant_id", "environment", "recurring_event_id") REFERENCES "calendar_event"("tenant_id", "environment", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "calendar_attendee" ADD CONSTRAINT "calendar_attendee_tenant_id_environment_event_id_fkey" FOREIGN KEY ("tenant_id", "environment", "event_id") REFERENCES "calendar_event"("tenant_id", "environment", "id") ON DELETE CASCADE ON UPDATE CASCADE;

ALTER TABLE "calendar_event" ADD CONSTRAINT "calendar_event_period" CHECK (end_at > start_at),
    ADD CONSTRAINT "calendar_event_exception" CHECK ((recurring_event_id IS NULL) = (original_start_at IS NULL)
        AND (recurring_event_id IS NULL OR recurrence IS NULL));
ALTER TABLE "calendar_attendee" ADD CONSTRAINT "calendar_attendee_who" CHECK ((user_id IS NULL) <> (email IS NULL));
ALTER TABLE "time_off" ADD CONSTRAINT "time_off_period" CHECK (to_at > from_at);
ALTER TABLE "booking_link" ADD CONSTRAINT "booking_link_duration" CHECK (duration_minutes > 0);

ALTER TABLE "calendar_event" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "calendar_event" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "calendar_event" USING (tenant_id = platform.tenant_id() AND environment = platform.environment());

ALTER TABLE "calendar_attendee" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "calendar_attendee" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "calendar_attendee" USING (tenant_id = platform.tenant_id() AND environment = platform.environment());

ALTER TABLE "user_availability" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "user_availability" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "user_availability" USING (tenant_id = platform.tenant_id() AND environment = platform.environment());

ALTER TABLE "time_off" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "time_off" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "time_off" USING (tenant_id = platform.tenant_id() AND environment = platform.environment());

ALTER TABLE "booking_link" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "booking_link" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "booking_link" USING (tenant_id = platform.tenant_id() AND environment = platform.environment());
