"""Operations of pipelines.

Written by `make sdk` from the routes of the API. Do not edit it.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..._runtime.async_client import AsyncResource
from ..._runtime.client import Resource
from ..._runtime.encode import path_to
from ..._runtime.given import NOT_GIVEN, NotGiven
from ..._runtime.pages import AsyncPager, Pager
from ..types.pipelines import NewStage, Pipeline, Stage
from ..types.shared import Deleted


class PipelinesResource(Resource):
    """Operations of pipelines: `client.pipelines`."""

    def list(self) -> Pager[Pipeline]:
        """List pipelines.

        Newest first. The oldest is the default for new deals.

        Needs the scope `deals:read`.
        """
        return self._pager(Pipeline, "/api/v1/pipelines")

    def create(self, *, name: str, stages: Sequence[NewStage] | None | NotGiven = NOT_GIVEN) -> Pipeline:
        """Create a pipeline.

        Args:
            stages: In order; defaults to four standard stages.

        Needs the scope `deals:write`.
        """
        return self._call(Pipeline, "POST", "/api/v1/pipelines", body={"name": name, "stages": stages})

    def delete(self, pipeline_id: str) -> Deleted:
        """Delete a pipeline.

        A pipeline with deals, and the account's last one, cannot be deleted.

        Needs the scope `deals:write`.
        """
        return self._call(Deleted, "DELETE", path_to("/api/v1/pipelines/{id}", pipeline_id))

    def get(self, pipeline_id: str) -> Pipeline:
        """Get a pipeline.

        Needs the scope `deals:read`.
        """
        return self._call(Pipeline, "GET", path_to("/api/v1/pipelines/{id}", pipeline_id))

    def update(
        self,
        pipeline_id: str,
        *,
        name: str | NotGiven = NOT_GIVEN,
        stage_ids: Sequence[str] | NotGiven = NOT_GIVEN,
    ) -> Pipeline:
        """Rename a pipeline or reorder its stages.

        Args:
            stage_ids: Every stage of the pipeline, in the new order.

        Needs the scope `deals:write`.
        """
        return self._call(
            Pipeline,
            "PATCH",
            path_to("/api/v1/pipelines/{id}", pipeline_id),
            body={"name": name, "stage_ids": stage_ids},
        )

    def create_stage(
        self,
        pipeline_id: str,
        *,
        name: str,
        position: int | None | NotGiven = NOT_GIVEN,
        probability: int | None | NotGiven = NOT_GIVEN,
    ) -> Stage:
        """Add a stage to a pipeline.

        Args:
            position: Its position, counted from 0; defaults to the end. Ignored in a new pipeline, where the order of
                the list counts.
            probability: The probability of winning a deal in this stage, in percent; defaults to 50.

        Needs the scope `deals:write`.
        """
        return self._call(
            Stage,
            "POST",
            path_to("/api/v1/pipelines/{id}/stages", pipeline_id),
            body={"name": name, "position": position, "probability": probability},
        )

    def delete_stage(self, pipeline_id: str, stage_id: str) -> Deleted:
        """Delete a stage.

        A stage with deals, and a pipeline's last one, cannot be deleted.

        Needs the scope `deals:write`.
        """
        return self._call(Deleted, "DELETE", path_to("/api/v1/pipelines/{id}/stages/{stage_id}", pipeline_id, stage_id))

    def update_stage(
        self,
        pipeline_id: str,
        stage_id: str,
        *,
        name: str | NotGiven = NOT_GIVEN,
        position: int | NotGiven = NOT_GIVEN,
        probability: int | NotGiven = NOT_GIVEN,
    ) -> Stage:
        """Update or move a stage.

        Args:
            position: Its position, counted from 0; a larger number means the end.

        Needs the scope `deals:write`.
        """
        return self._call(
            Stage,
            "PATCH",
            path_to("/api/v1/pipelines/{id}/stages/{stage_id}", pipeline_id, stage_id),
            body={"name": name, "position": position, "probability": probability},
        )


class AsyncPipelinesResource(AsyncResource):
    """Operations of pipelines: `client.pipelines`."""

    def list(self) -> AsyncPager[Pipeline]:
        """List pipelines.

        Newest first. The oldest is the default for new deals.

        Needs the scope `deals:read`.
        """
        return self._pager(Pipeline, "/api/v1/pipelines")

    async def create(self, *, name: str, stages: Sequence[NewStage] | None | NotGiven = NOT_GIVEN) -> Pipeline:
        """Create a pipeline.

        Args:
            stages: In order; defaults to four standard stages.

        Needs the scope `deals:write`.
        """
        return await self._call(Pipeline, "POST", "/api/v1/pipelines", body={"name": name, "stages": stages})

    async def delete(self, pipeline_id: str) -> Deleted:
        """Delete a pipeline.

        A pipeline with deals, and the account's last one, cannot be deleted.

        Needs the scope `deals:write`.
        """
        return await self._call(Deleted, "DELETE", path_to("/api/v1/pipelines/{id}", pipeline_id))

    async def get(self, pipeline_id: str) -> Pipeline:
        """Get a pipeline.

        Needs the scope `deals:read`.
        """
        return await self._call(Pipeline, "GET", path_to("/api/v1/pipelines/{id}", pipeline_id))

    async def update(
        self,
        pipeline_id: str,
        *,
        name: str | NotGiven = NOT_GIVEN,
        stage_ids: Sequence[str] | NotGiven = NOT_GIVEN,
    ) -> Pipeline:
        """Rename a pipeline or reorder its stages.

        Args:
            stage_ids: Every stage of the pipeline, in the new order.

        Needs the scope `deals:write`.
        """
        return await self._call(
            Pipeline,
            "PATCH",
            path_to("/api/v1/pipelines/{id}", pipeline_id),
            body={"name": name, "stage_ids": stage_ids},
        )

    async def create_stage(
        self,
        pipeline_id: str,
        *,
        name: str,
        position: int | None | NotGiven = NOT_GIVEN,
        probability: int | None | NotGiven = NOT_GIVEN,
    ) -> Stage:
        """Add a stage to a pipeline.

        Args:
            position: Its position, counted from 0; defaults to the end. Ignored in a new pipeline, where the order of
                the list counts.
            probability: The probability of winning a deal in this stage, in percent; defaults to 50.

        Needs the scope `deals:write`.
        """
        return await self._call(
            Stage,
            "POST",
            path_to("/api/v1/pipelines/{id}/stages", pipeline_id),
            body={"name": name, "position": position, "probability": probability},
        )

    async def delete_stage(self, pipeline_id: str, stage_id: str) -> Deleted:
        """Delete a stage.

        A stage with deals, and a pipeline's last one, cannot be deleted.

        Needs the scope `deals:write`.
        """
        return await self._call(
            Deleted,
            "DELETE",
            path_to("/api/v1/pipelines/{id}/stages/{stage_id}", pipeline_id, stage_id),
        )

    async def update_stage(
        self,
        pipeline_id: str,
        stage_id: str,
        *,
        name: str | NotGiven = NOT_GIVEN,
        position: int | NotGiven = NOT_GIVEN,
        probability: int | NotGiven = NOT_GIVEN,
    ) -> Stage:
        """Update or move a stage.

        Args:
            position: Its position, counted from 0; a larger number means the end.

        Needs the scope `deals:write`.
        """
        return await self._call(
            Stage,
            "PATCH",
            path_to("/api/v1/pipelines/{id}/stages/{stage_id}", pipeline_id, stage_id),
            body={"name": name, "position": position, "probability": probability},
        )
