-- AlterTable
ALTER TABLE "escalation_rule" ADD COLUMN     "escalated_to" TIMESTAMPTZ(3),
ADD COLUMN     "searched_at" TIMESTAMPTZ(3);
