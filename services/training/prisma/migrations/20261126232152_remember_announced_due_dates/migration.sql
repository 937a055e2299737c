-- AlterTable
ALTER TABLE "enrollment" ADD COLUMN     "overdue_for" TIMESTAMPTZ(3),
ADD COLUMN     "reminded_for" TIMESTAMPTZ(3);
