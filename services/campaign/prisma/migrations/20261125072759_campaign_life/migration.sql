-- AlterTable
ALTER TABLE "campaign" ADD COLUMN     "launch" INTEGER NOT NULL DEFAULT 0,
ADD COLUMN     "topic_id" BIGINT;

-- AddForeignKey
ALTER TABLE "campaign" ADD CONSTRAINT "campaign_tenant_id_environment_topic_id_fkey" FOREIGN KEY ("tenant_id", "environment", "topic_id") REFERENCES "topic"("tenant_id", "environment", "id") ON DELETE RESTRICT ON UPDATE CASCADE NOT VALID;
